// Joint coordinates measured: Jain's Table 2, articulated bodies and the compliance of a few bodies.
#include <algorithm>
#include <limits>
#include <string>

#include "bench/figures.h"
#include "bench/joint_system.h"
#include "bench/workloads.h"
#include "catena/mechanism/formulation.h"

namespace catena::bench {
namespace {

constexpr double kStep = 1e-4;
constexpr int kFacets = 4, kContacts = 4;

Options paper(Formulation formulation) {
  return {.method = MethodWords{.method = Method::operational,
                                .integrator = Integrator::euler,
                                .law_solver = LawSolver::lemke,
                                .formulation = formulation},
          .facets = kFacets,
          .step = kStep};
}

// CPU seconds a step over `steps` steps from each of some states; NaN where it stopped.
double time_a_step(const Scene& scene, const Options& options, const std::vector<State>& from, long steps) {
  Simulation simulation(scene, options);
  double time = 0;
  for (const State& state : from) {
    simulation.set_state(state);
    const double start = cpu_seconds();
    for (long i = 0; i < steps; ++i)
      if (!simulation.step().ok()) return std::numeric_limits<double>::quiet_NaN();
    time += cpu_seconds() - start;
  }
  return time / static_cast<double>(steps * static_cast<long>(from.size()));
}

}  // namespace

// The paper gives whole runs, an hour of nmc-os for 30 links. Here os steps over the whole, and the others over a tenth of it, in ten pieces of
// 20 ms spread evenly from its start to its end.
void jain_table_2(const Sink& sink) {
  constexpr double kDuration = 2;
  constexpr long kFew = 200;
  constexpr int kPieces = 10;
  for (const int n : {3, 6, 12, 15, 24, 30}) {
    const Scene scene = workloads::jain_pendulum(n);
    const ReducedModel model(scene.model);
    const std::string name = "pendulum of Table 2";
    const auto size = [&](Formulation f) {
      return static_cast<double>(formulation_size(f, model, kContacts, kFacets));
    };
    sink({"papers", name, n, "LCP size, os", size(Formulation::operational_space), "rows"});
    sink({"papers", name, n, "LCP size, nmc-os", size(Formulation::non_minimal_os), "rows"});
    sink({"papers", name, n, "LCP size, nmc", size(Formulation::non_minimal), "rows"});

    Simulation simulation(scene, paper(Formulation::operational_space));
    std::vector<State> pieces;
    double penetration = 0;
    const double start = cpu_seconds();
    while (simulation.time() < kDuration - 0.5 * kStep) {
      if (simulation.time() >= kDuration / kPieces * static_cast<double>(pieces.size()) - 0.5 * kStep)
        pieces.push_back(simulation.state());
      const StepReport report = simulation.step();
      if (!report.ok()) break;
      penetration = std::max(penetration, report.penetration);
    }
    const double whole = cpu_seconds() - start, os = whole / static_cast<double>(simulation.steps());
    sink({"papers", name, n, "os, 2 s at h = 0.1 ms", whole, "s"});
    sink({"papers", name, n, "os, deepest overlap", penetration, "m"});
    sink({"papers", name, n, "os, energy taken by contacts", -simulation.energy().ledger.contacts, "J"});
    sink({"papers", name, n, "os, a step", os * 1e6, "us"});
    for (const auto& [word, formulation] :
         {std::pair{"nmc-os", Formulation::non_minimal_os}, {"nmc", Formulation::non_minimal}}) {
      const double time = time_a_step(scene, paper(formulation), pieces, kFew);
      sink({"papers", name, n, std::string(word) + ", a step", time * 1e6, "us"});
      sink({"papers", name, n, "speed-up of os over " + std::string(word), time / os, "1"});
    }
    Options spook{.method = Spook{.integrator = Integrator::euler}, .step = kStep};
    sink({"papers", name, n, "spook, a step", time_a_step(scene, spook, pieces, kFew) * 1e6, "us"});
  }
}

double forward_dynamics_time(const Scene& scene) {
  JointSystem joints(scene);
  return time_of([&] { joints.forward(); });
}

namespace {

double compliance_time(const Scene& scene, const std::vector<std::string>& bodies) {
  JointSystem joints(scene);
  joints.system.factor();
  NodeCompliance compliance(joints.system);
  const std::vector<int> nodes = joints.nodes(bodies);
  return time_of([&] { compliance.compute(nodes); });
}

// A step of a standing robot, over the second after it has come to rest on its feet.
void contact_step(const Sink& sink) {
  constexpr int kSettle = 500, kSteps = 1000;
  Simulation simulation(workloads::biped(), {.method = Method::operational});
  for (int i = 0; i < kSettle; ++i) simulation.step();
  double time = 0, residual = 0, contacts = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double start = cpu_seconds();
    const StepReport report = simulation.step();
    time += cpu_seconds() - start;
    residual = std::max(residual, report.ok() ? report.complementarity : std::numeric_limits<double>::infinity());
    contacts += report.contacts;
  }
  const ReducedModel model(simulation.model());
  const std::string name = "biped on its feet";
  sink({"speed", name, model.freedoms(), "operational, a step", time / kSteps * 1e6, "us"});
  sink({"speed", name, model.freedoms(), "operational, contacts", contacts / kSteps, "1"});
  sink({"speed", name, model.freedoms(), "operational, worst residual of the laws", residual, "relative"});
}

}  // namespace

void reduced_speed(const Sink& sink) {
  for (const int n : {32, 128, 512, 2048}) {
    const double time = forward_dynamics_time(workloads::peer_chain(n));
    sink({"speed", "chain of hinges, joint coordinates", n, "forward dynamics", time / n * 1e9, "ns a joint"});
  }
  const Scene humanoid = workloads::humanoid();
  const auto joints = static_cast<long>(humanoid.model.joints.size());
  sink({"speed", "humanoid, joint coordinates", joints, "forward dynamics",
        forward_dynamics_time(humanoid) / static_cast<double>(joints) * 1e9, "ns a joint"});

  sink({"speed", "biped, joint coordinates", 30, "compliance of hands and feet",
        compliance_time(workloads::biped(), {"foot_left", "foot_right", "forearm_left", "forearm_right"}) * 1e6, "us"});
  const Scene robot = workloads::peer_dual_arm();
  sink({"speed", "dual-arm robot, joint coordinates", 26, "compliance of four fingers",
        compliance_time(robot, {"link12", "link13", "link23", "link24"}) * 1e6, "us"});
  sink({"speed", "humanoid, joint coordinates", joints, "compliance of hands and feet",
        compliance_time(humanoid, {"foot_left", "foot_right", "hand_left", "hand_right"}) * 1e6, "us"});
  contact_step(sink);
}

}  // namespace catena::bench
