// One page that walks through the papers claim by claim. What can be checked is checked here; what is a time stands beside theirs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "bench/chain_problem.h"
#include "bench/report_page.h"
#include "bench/workloads.h"
#include "catena/mechanism/dynamics.h"
#include "catena/mechanism/formulation.h"
#include "catena/model/builder.h"
#include "catena/primary/maximal_system.h"
#include "catena/scene/scene.h"
#include "catena/simulation/simulation.h"
#include "catena/solve/gauss_seidel.h"
#include "examples/cpp/stretching_body.h"

namespace catena::bench {
namespace {

std::string time_text(double us) {
  if (std::isnan(us)) return "not measured";
  return us < 1e3 ? fmt::format("{:.1f} µs", us) : fmt::format("{:.2f} ms", us / 1e3);
}

// The worst difference of accelerations by two solvers over random mechanisms, relative.
double worst_difference(LinearSolver one, LinearSolver other, int count, int loops) {
  double worst = 0;
  for (int seed = 0; seed < count; ++seed) {
    const Scene scene =
        workloads::random_mechanism(static_cast<std::uint64_t>(1000 * loops + seed + 1), 2 + seed % 40, loops);
    Dynamics a(scene.model, scene.initial, one), b(scene.model, scene.initial, other);
    a.accelerations(scene.initial);
    b.accelerations(scene.initial);
    double miss = 0, size = 1e-300;
    for (std::size_t i = 0; i < a.vdot.size(); ++i) {
      const BodyVector d = restricted(scene.model.bodies[i].kind, a.vdot[i] + -1.0 * b.vdot[i]);
      miss = std::max(miss, std::sqrt(dot(d, d)));
      size = std::max(size, std::sqrt(dot(b.vdot[i], b.vdot[i])));
    }
    worst = std::max(worst, miss / size);
  }
  return worst;
}

double operations_a_body(int n) {
  const Scene scene = workloads::linkage(workloads::Shape::tree, JointKind::ball, n);
  MaximalSystem system(scene.model, build_forest(scene.model));
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  std::vector<BodyVector> y(static_cast<std::size_t>(n));
  std::vector<double> b(static_cast<std::size_t>(system.rows())), lambda(b.size());
  system.take_operations();
  system.factor(kinematics);
  system.solve(b, y, lambda);
  return static_cast<double>(system.take_operations()) / n;
}

// Blocks of A = J M⁻¹Jᵀ that are not zero, of all: pairs of joints that share a body.
double filled(const Model& model) {
  long pairs = 0;
  for (const Joint& i : model.joints)
    for (const Joint& j : model.joints)
      if ((i.a.valid() && (i.a == j.a || i.a == j.b)) || (i.b.valid() && (i.b == j.a || i.b == j.b))) ++pairs;
  return static_cast<double>(pairs) / static_cast<double>(model.joints.size() * model.joints.size());
}

Model star(int n) {
  ModelBuilder builder;
  for (int i = 0; i <= n; ++i)
    builder.body({.name = fmt::format("b{}", i),
                  .mass = 1.0,
                  .inertia = Sym3::diagonal(1, 1, 1),
                  .position = {std::cos(i), std::sin(i), 0.1 * i}});
  for (int i = 1; i <= n; ++i)
    builder.joint({.name = fmt::format("j{}", i),
                   .kind = JointKind::ball,
                   .between = {"b0", fmt::format("b{}", i)},
                   .anchor = Vec3{0, 0, 0.1 * i}});
  return builder.build().model;
}

// How far the string of a pendulum is from the length it follows, over a second.
double string_error() {
  Simulation sim(
      load_text("simulate: {method: lagrange, step: 1e-3}\n"
                "bodies: {bob: {kind: particle, mass: 1, position: [0.6, 0, -0.8]}}\n"
                "joints: {string: {kind: distance, between: [ground, bob], anchors: [[0, 0, 0], [0.6, 0, -0.8]],\n"
                "  length: {sine: {amplitude: 0.2, frequency: 0.8, offset: 1}}}}\n"));
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    if (!sim.step().ok()) return INFINITY;
    const double length = 1 + 0.2 * std::sin(2 * M_PI * 0.8 * sim.time());
    worst = std::max(worst, std::abs(norm(sim.body("bob").position) - length));
  }
  return worst;
}

// A box of height L that stretches by k and has its weight on its lower face: m L²/4 + p swings about m g L/(2k) below.
double own_kind_on_floor() {
  constexpr double kMass = 2, kStiffness = 40, kHalf = 0.2, kTime = 0.5;
  BodySpec box{.name = "box", .kind = BodyKind::formed, .mass = kMass, .position = {0, 0, kHalf}};
  box.shapes = {{Box{{0.3, 0.2, 2 * kHalf}}}};
  box.form = std::make_shared<StretchingBody>(StretchingBody::box(kMass, {0.3, 0.2, 2 * kHalf}, kStiffness));
  box.form_start = {1, 1, 1};
  ModelBuilder builder;
  builder.ground_shape({Plane{{0, 0, 1}, 0}}).body(box);
  Simulation sim(builder.build(), {.method = Method::lagrange, .step = 1e-3});
  sim.advance_to(kTime);
  const double lower = kMass * 9.81 * kHalf / kStiffness, inertia = kMass * kHalf * kHalf * (1 + 1.0 / 3);
  const double s = 1 - lower + lower * std::cos(kTime * std::sqrt(kStiffness / inertia));
  return std::abs(sim.body("box").position.z - s * kHalf);
}

// A body of a kind that only its header knows, rigid + 3, on a ball joint: how far the joint opens and the energy drifts in 1 s.
std::pair<double, double> own_kind_of_body() {
  BodySpec spec{.name = "blob",
                .kind = BodyKind::formed,
                .mass = 2.0,
                .position = {0.1, 0.1, -0.2},
                .angular_velocity = {0, 0, 3},
                .form = std::make_shared<StretchingBody>(StretchingBody::box(2.0, {0.2, 0.2, 0.4}, 8.0)),
                .form_start = {1, 1, 1}};
  JointSpec hook{.name = "hook", .kind = JointKind::ball, .between = {"ground", "blob"}, .anchor = Vec3{}};
  Simulation sim(ModelBuilder{}.body(spec).joint(hook).build(),
                 {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-3});
  const double energy = sim.energy().total();
  double open = 0;
  for (int i = 0; i < 1000; ++i) open = std::max(open, sim.step().drift_position);
  return {open, std::abs(sim.energy().total() - energy)};
}

void baraff(Page& page, const std::string& examples) {
  page.paper("Baraff, Linear-Time Dynamics using Lagrange Multipliers (1996)");
  const double small = operations_a_body(1000), large = operations_a_body(30000);
  page.claim("§7.3", "factoring and solving cost O(n)", "linear",
             fmt::format("{:.2f} and {:.2f} block operations a body for 1 000 and 30 000 bodies", small, large),
             std::abs(large / small - 1) < 0.01);
  const double dense = worst_difference(LinearSolver::tree, LinearSolver::dense_kkt, 40, 0);
  page.claim("§7.2", "the sparse factors of H are those of densefactor", "the same",
             fmt::format("accelerations of 40 random trees differ by {:.1e}", dense), dense < 1e-9);
  const double loops = worst_difference(LinearSolver::tree, LinearSolver::dense, 40, 3);
  page.claim("§8", "loops by anticipation are solved exactly", "exact",
             fmt::format("40 random graphs with loops differ from the dense solution by {:.1e}", loops), loops < 1e-9);
  const double length = string_error();
  page.claim("§4.2", "constraints may move by themselves", "ċ and c̈ enter",
             fmt::format("a string of changing length is off by {:.1e} m over 1 s", length), length < 1e-12);
  const auto [open, gained] = own_kind_of_body();
  page.claim(
      "§2", "bodies may have any dimension", "M_i is d x d",
      fmt::format("a user's body of dimension 9 hangs on a joint that opens by {:.1e} m; energy to {:.1e} J over "
                  "1 s",
                  open, gained),
      open < 1e-11 && gained < 1e-7);
  const double swinging = own_kind_on_floor();
  page.claim(
      "§§2, 8", "contacts press on bodies of any dimension", "rows like others",
      fmt::format("such a body swings on the floor {:.1e} m from z = L/2 (1 − a + a cos ωt) after 0.5 s", swinging),
      swinging < 1e-8);
  Simulation legs(load(examples + "/jansen_legs.yaml"));
  const DragReport drag = legs.drag(legs.body_id("crank"), {0.075, 0, 0}, {0, 0, 0.85});
  page.claim("§3", "f = m v leads a mechanism by hand", "interactive",
             fmt::format("a crank with closed loops ends {:.1e} m from its target, loops open by {:.1e}", drag.distance,
                         drag.drift.scaled),
             drag.distance < 1e-11 && drag.drift.scaled < 1e-12);
}

void baraff_results(Page& page) {
  baraff_table(page.collect());
  const std::string contacts = "3-D, 96 primary + 3 contacts";
  const double law = page.figure(contacts, "complementarity");
  page.claim("§8.2", "three frictionless contacts are a complementarity problem", "solved by [2]",
             fmt::format("{:.0f} of {:.0f} contacts push; laws hold to {:.1e}",
                         page.figure(contacts, "contacts that push"), page.figure(contacts, "contacts"), law),
             law < 1e-9 && page.figure(contacts, "contacts") == 3);
  const std::pair<const char*, const char*> table[] = {{"2-D, 54 pins, 108 multipliers", "6.2 ms"},
                                                       {"2-D, 96 primary + 12 auxiliary", "20 ms"},
                                                       {"3-D, 96 primary + 3 contacts", "14.4 ms"},
                                                       {"3-D, 127 balls, 381 multipliers", "35.7 ms"}};
  for (const auto& [name, theirs] : table)
    page.beside("§9", name, theirs, time_text(page.figure(name, "whole acceleration")));
  page.beside("§9", "over the O(n³) method, 99 multipliers", "2 times",
              fmt::format("{:.1f} times", page.figure(contacts, "speed-up")));
  page.beside("§9", "over the O(n³) method, 381 multipliers", "close to 40 times",
              fmt::format("{:.0f} times", page.figure(table[3].first, "speed-up")));
  const auto against = [&](const char* name, const char* metric) {
    return page.figure(name, metric) / page.figure(name, "whole acceleration");
  };
  page.beside("§9", "over conjugate gradients, 108 multipliers", "about 3 times",
              fmt::format("{:.1f} times to 1e-4, {:.1f} times to rounding",
                          against(table[0].first, "whole acceleration, conjugate gradients to 1e-4"),
                          against(table[0].first, "whole acceleration, conjugate gradients")));
  page.beside("§9", "the same with 12 of them auxiliary", "about the same speed",
              fmt::format("{:.1f} times to 1e-4; {:.1f} times with the tree as preconditioner",
                          against(table[1].first, "whole acceleration, conjugate gradients to 1e-4"),
                          against(table[1].first, "whole acceleration, conjugate gradients, tree")));
}

void slides(Page& page) {
  page.paper("Baraff, the presentation by E. Tosun");
  const double chain = filled(workloads::peer_chain(64).model), branched = filled(star(64));
  page.claim("sparsity", "A of a serial chain is block tridiagonal", "O(n) blocks",
             fmt::format("{:.1f} % of the blocks for 64 joints", 100 * chain),
             std::abs(chain - (3.0 * 64 - 2) / (64.0 * 64)) < 1e-12);
  page.claim("sparsity", "A of a branched object can be completely dense", "O(n³)",
             fmt::format("{:.0f} % of the blocks of a star of 64", 100 * branched), branched == 1);
}

void jain(Page& page, bool fast) {
  page.paper("Jain, contact by complementarity in operational space");
  bool sizes = true;
  for (const int n : {3, 12, 30}) {
    const Scene scene = workloads::jain_pendulum(n);
    const ReducedModel model(scene.model);
    sizes = sizes && formulation_size(Formulation::operational_space, model, 4, 4) == 24 &&
            formulation_size(Formulation::non_minimal_os, model, 4, 4) == 5 * n + 24 &&
            formulation_size(Formulation::non_minimal, model, 4, 4) == 6 * n + 5 * n + 24;
  }
  page.claim("Table 1", "sizes n_u(n_f + 2), 5n + n_u(n_f + 2), 11n + n_u(n_f + 2) of os, nmc-os, nmc",
             "24, 39, 57 for n = 3", sizes ? "the same for n = 3, 12, 30" : "others", sizes);
  const Scene scene = workloads::jain_pendulum(12);
  std::vector<Vec3> ends;
  double taken = 0;  // energy that contacts took, J
  for (const Formulation f : {Formulation::operational_space, Formulation::non_minimal_os, Formulation::minimal}) {
    Simulation sim(scene, {.method = MethodWords{.method = Method::operational,
                                                 .integrator = Integrator::euler,
                                                 .law_solver = LawSolver::lemke,
                                                 .formulation = f},
                           .facets = 4,
                           .step = 1e-3});
    sim.advance_to(2);
    taken = -sim.energy().ledger.contacts;
    ends.push_back(sim.body(BodyId(11)).position);
  }
  double apart = 0;
  for (const Vec3& end : ends) apart = std::max(apart, norm(end - ends[0]));
  page.claim(
      "§8", "all formulations lead to the same motion", "the same",
      fmt::format("12 links by os, nmc-os, mc are {:.1e} m apart after 2 s; contacts took {:.0f} J", apart, taken),
      apart < 1e-8 && taken > 1);
  if (fast) return;
  jain_table_2(page.collect());
  for (const auto& [n, theirs] :
       {std::pair{3, "3.6"}, {6, "6.5"}, {12, "16.1"}, {15, "25.6"}, {24, "49.7"}, {30, "55.6"}})
    page.beside("Table 2", fmt::format("os over nmc-os, {} links", n), theirs,
                fmt::format("{:.0f}", page.figure("pendulum of Table 2", "speed-up of os over nmc-os", n)));
}

void lacoursiere(Page& page, std::vector<Panel>& panels) {
  page.paper("Lacoursière, Using Gauss-Seidel for Multibody Problems (2011)");
  ChainProblem chain(10);
  using Algorithm = solve::GaussSeidelOptions::Algorithm;
  std::vector<solve::Vector> ends;
  for (const Algorithm algorithm : {Algorithm::kept_residual, Algorithm::monitored, Algorithm::plain}) {
    solve::GaussSeidelOptions options;
    options.algorithm = algorithm;
    solve::GaussSeidel sweeps(options);
    sweeps.begin(chain.law_problem.problem());
    for (int i = 0; i < 50; ++i) sweeps.sweep();
    ends.push_back(sweeps.z());
  }
  const double apart = std::max((ends[1] - ends[0]).norm(), (ends[2] - ends[0]).norm()) / ends[0].norm();
  page.claim("Algorithms 2.1, 2.2, 3.1", "three ways to the same iterates", "equivalent",
             fmt::format("{:.1e} apart after 50 sweeps", apart), apart < 1e-12);
  lacoursiere_mass_ratios(page.collect(), panels);
  const std::string name = "Lacoursière: chain of 10, load over link";
  double worst = 0;
  bool slower = true;
  for (long ratio = 1; ratio <= 1000000; ratio *= 10) {
    const double direct = page.figure(name, "impulses, direct", ratio),
                 swept = page.figure(name, "impulses after 1000 sweeps", ratio);
    worst = std::max(worst, direct);
    slower = slower && (ratio < 100 || swept > 1e3 * direct);
    page.beside("§1", fmt::format("mass ratio {}: impulses after 1000 sweeps; direct", ratio), "",
                fmt::format("{:.1e}; {:.1e}", swept, direct));
  }
  page.claim("§1", "Gauss-Seidel suffers from mass ratios, direct solution does not", "known",
             fmt::format("direct: {:.1e} at worst, up to a ratio of 10⁶", worst), worst < 1e-9 && slower);
}

void bender(Page& page, const std::string& examples, bool fast, std::vector<Panel>& panels) {
  page.paper("Bender, Impulse-based dynamic simulation in linear time");
  const double h = 1.0 / 30;
  std::vector<std::vector<Vec3>> places;
  double gap = 0;
  for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::dense}) {
    Simulation sim(workloads::bender_tree(31, h),
                   {.method = MethodWords{.method = Method::impulse, .solver = solver}, .step = h});
    for (int i = 0; i < 60; ++i) gap = std::max(gap, sim.step().drift_position);
    std::vector<Vec3>& all = places.emplace_back();
    for (const BodyState& s : sim.state().bodies) all.push_back(s.position);
  }
  double apart = 0;
  for (std::size_t i = 0; i < places[0].size(); ++i) apart = std::max(apart, norm(places[0][i] - places[1][i]));
  page.claim("§3", "joints do not drift: gaps stay within the tolerance", "1e-6 m",
             fmt::format("{:.1e} m at worst, 31 joints over 2 s", gap), gap <= 1.0001e-6);
  page.claim("§4", "the linear-time impulses are those of the system of linear equations", "the same",
             fmt::format("{:.1e} m apart after 2 s", apart), apart < 1e-5);
  Simulation cloth(workloads::hung_cloth(7), {.method = Impulse{.solver = LinearSolver::parts}, .step = 5e-3});
  double stretched = 0;
  for (int i = 0; i < 100; ++i) stretched = std::max(stretched, cloth.step().drift_position);
  page.claim("§5", "loops are handled by acyclic parts and iteration", "to the tolerance",
             fmt::format("a cloth of 7 x 7 stretches by {:.1e} m at most", stretched), stretched <= 1.0001e-6);
  Simulation beest(load(examples + "/strandbeest.yaml"), {.method = Method::impulse});
  double law = 0;
  int contacts = 0;
  for (int i = 0; i < 50; ++i) {
    const StepReport report = beest.step();
    law = std::max(law, report.complementarity);
    contacts = std::max(contacts, report.contacts);
  }
  page.claim("§5", "contacts are one more part of the loop", "to the tolerance",
             fmt::format("laws of {} contacts of a machine with 36 loops hold to {:.1e}", contacts, law),
             law <= 1e-8 && contacts > 0);
  if (fast) return;
  bender_figure_2(page.collect(), examples);
  bender_figure_4(page.collect(), panels);
  for (const auto& [name, theirs] : {std::pair{"linear 1e-6", "13.7 ms"},
                                     {"SLE 1e-6", "59.5 ms"},
                                     {"iterative 1e-6", "494 ms"},
                                     {"Lagrange linear", "82.1 ms"}})
    page.beside("figure 4", fmt::format("255 joints, {}", name), theirs,
                time_text(1e3 * page.figure(std::string("Bender fig. 4: ") + name, "time a step", 255)));
}

}  // namespace

int paper_report(const Sink& sink, const std::string& file, const std::string& examples, bool fast) {
  Page page(sink, file);
  std::vector<Panel> sweeps, steps;
  baraff(page, examples);
  baraff_experiments(page);
  baraff_poses(page);
  baraff_results(page);
  slides(page);
  jain(page, fast);
  jain_formulations(page);
  jain_experiments(page);
  lacoursiere(page, sweeps);
  lacoursiere_singular(page);
  lacoursiere_experiments(page, sweeps);
  page.picture("sweeps", "Mass ratios 1 … 10⁶, and convergence of the sweeps", sweeps);
  bender(page, examples, fast, steps);
  bender_experiments(page, examples);
  bender_loops(page, fast);
  if (!steps.empty()) page.picture("steps", "Bender's figure 4: time of one step", steps);
  return page.write(fast);
}

}  // namespace catena::bench
