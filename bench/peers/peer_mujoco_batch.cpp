// MuJoCo on many worlds of one model, by one core: peer_mujoco_batch FILE.xml WORLDS STEPS. Every world has an mjData of its own and another
// small push on every degree of freedom, as in bench/batch_figures.cpp.
#include <mujoco/mujoco.h>

#include <cstdlib>

#include "common.h"

int main(int argc, char** argv) {
  using namespace peers;
  if (argc != 4) return 2;
  char error[1000] = "";
  mjModel* model = mj_loadXML(argv[1], nullptr, error, sizeof error);
  if (!model) {
    std::fprintf(stderr, "mujoco: %s\n", error);
    return 1;
  }
  const int worlds = std::atoi(argv[2]), steps = std::atoi(argv[3]);
  const std::string file = argv[1], name = file.substr(file.rfind('/') + 1);
  std::vector<mjData*> all;
  for (int i = 0; i < worlds; ++i) {
    mjData* data = mj_makeData(model);
    for (int k = 0; k < model->nv; ++k) data->qfrc_applied[k] = 0.1 * std::sin(1.0 + i + 7 * k);
    mj_step(model, data);
    all.push_back(data);
  }
  const double start = cpu_seconds();
  for (mjData* data : all)
    for (int k = 0; k < steps; ++k) mj_step(model, data);
  const double took = cpu_seconds() - start;
  report(name.c_str(), worlds, "steps of one core", static_cast<double>(worlds) * steps / took, "1/s");
  report(name.c_str(), worlds, "memory of a world",
         static_cast<double>(all.front()->nbuffer + all.front()->nstack * sizeof(mjtNum)), "B");
  for (mjData* data : all) mj_deleteData(data);
  mj_deleteModel(model);
}
