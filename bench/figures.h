// What `catena bench` measures. Every figure is one line: {"bench", "case", "n", "metric", "value", "unit"}.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/model/scene.h"

namespace catena {
struct Panel;  // of a chart (record/chart.h)
}

namespace catena::bench {

struct Figure {
  std::string bench, name;  // name: the case
  long n = 0;
  std::string metric;
  double value = 0;
  std::string unit;
};
using Sink = std::function<void(const Figure&)>;

void accuracy(const Sink& sink);                                        // tree against dense, random mechanisms
void drift(const Sink& sink, const std::string& examples, long steps);  // loops over many steps
void scaling(const Sink& sink, int largest);                            // factor + solve, 10³ … largest bodies
void speed(const Sink& sink);                                           // ns a body of each stage
// Baraff §9, Lacoursière's sweeps, Bender's figures 2 and 4, Jain's table 2; `picture`: an SVG file of those that are drawn, or none
void papers(const Sink& sink, const std::string& examples, const std::string& picture);
void baraff_table(const Sink& sink);                                                 // the systems of §9
void baraff_solvers(const Sink& sink, const std::string& name, const Scene& scene);  // dense H, conjugate gradients
void baraff_contacts(const Sink& sink);  // three contacts without friction, as a complementarity problem
// What is drawn is appended to `panels`.
void lacoursiere_mass_ratios(const Sink& sink,
                             std::vector<Panel>& panels);  // Gauss-Seidel and direct solution, 1 … 10⁶
// Errors after so many sweeps, by algorithm, order, relaxation and law of friction.
void lacoursiere_convergence(const Sink& sink, std::vector<Panel>& panels);
void bender_figure_2(const Sink& sink, const std::string& examples);
void bender_figure_4(const Sink& sink, std::vector<Panel>& panels);
void jain_table_2(const Sink& sink);
// The five papers claim by claim, with our figure beside theirs, as a page of Markdown. `fast`: without the figures that take minutes
// (Bender's 2 and 4, Jain's table 2). Returns the claims that do not hold.
int paper_report(const Sink& sink, const std::string& file, const std::string& examples, bool fast);
void reduced_speed(const Sink& sink);                                            // joint coordinates, part of speed()
void impulse_method(const Sink& sink, const std::string& examples, long steps);  // large and long runs
void peers(const Sink& sink);  // other simulators, where they are installed

void contacts(const Sink& sink);  // stacks, piles and ragdolls, beside other simulators where they are installed
void chains(const Sink& sink,
            const std::string& picture);  // Gauss-Seidel against direct; `picture`: an SVG file, or none

// Closed loops by fronts and by the other ways, and a step of every method, beside MuJoCo where it is installed.
void loops(const Sink& sink, const std::string& examples);

// Many worlds of one model; `robots`: a folder with humanoid.xml and cassie.xml, or none.
void batch(const Sink& sink, const std::string& robots);

// Every scene of some folders by every method, for `seconds` of simulated time or `budget` of processor time each (soak.h). Returns how many runs
// stop, or gain more than 1e-6 of their energy. Folders there are not are left out.
int soak_table(const Sink& sink, const std::vector<std::string>& folders, double seconds, double budget);

double cpu_seconds();                                         // of this thread
void solvers(const Sink& sink, const std::string& problems);  // complementarity, beside Siconos

// CPU seconds of one evaluation of accelerations in joint coordinates at the scene's start.
double forward_dynamics_time(const Scene& scene);

// Runs bench/peers/peer_NAME, where it is built, and passes its figures on.
void run_peer(const Sink& sink, const std::string& bench, const std::string& peer,
              const std::vector<std::string>& arguments = {});

// CPU seconds of one call: the fastest of batches that last about `seconds` together.
double time_of(const std::function<void()>& call, double seconds = 0.3);

}  // namespace catena::bench
