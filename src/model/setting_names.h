// The words of the settings, as scene files, flags and the page have them.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "catena/model/settings.h"

namespace catena {

template <class Value, std::size_t n>
using SettingNames = std::array<std::pair<std::string_view, Value>, n>;

inline constexpr SettingNames<Method, 5> kMethodNames{{{"auto", Method::automatic},
                                                       {"lagrange", Method::lagrange},
                                                       {"impulse", Method::impulse},
                                                       {"spook", Method::spook},
                                                       {"operational", Method::operational}}};
inline constexpr SettingNames<Integrator, 6> kIntegratorNames{{{"auto", Integrator::automatic},
                                                               {"euler", Integrator::euler},
                                                               {"rk4", Integrator::rk4},
                                                               {"adaptive", Integrator::adaptive},
                                                               {"lie", Integrator::lie},
                                                               {"midpoint", Integrator::midpoint}}};
inline constexpr SettingNames<Stabilisation, 3> kStabilisationNames{{{"projection", Stabilisation::projection},
                                                                     {"baumgarte", Stabilisation::baumgarte},
                                                                     {"none", Stabilisation::none}}};
inline constexpr SettingNames<LinearSolver, 11> kLinearSolverNames{{{"auto", LinearSolver::automatic},
                                                                    {"tree", LinearSolver::tree},
                                                                    {"fronts", LinearSolver::fronts},
                                                                    {"sparse", LinearSolver::sparse},
                                                                    {"dense", LinearSolver::dense},
                                                                    {"dense-kkt", LinearSolver::dense_kkt},
                                                                    {"cg", LinearSolver::cg},
                                                                    {"cg-tree", LinearSolver::cg_tree},
                                                                    {"iterative", LinearSolver::iterative},
                                                                    {"parts", LinearSolver::parts},
                                                                    {"parts-in-turn", LinearSolver::parts_in_turn}}};
inline constexpr SettingNames<Coordinates, 3> kCoordinatesNames{
    {{"auto", Coordinates::automatic}, {"maximal", Coordinates::maximal}, {"reduced", Coordinates::reduced}}};
inline constexpr SettingNames<bool, 2> kYesNo{{{"yes", true}, {"no", false}}};
inline constexpr SettingNames<ContactMode, 3> kContactModeNames{
    {{"auto", ContactMode::automatic}, {"exact", ContactMode::exact}, {"swept", ContactMode::swept}}};
inline constexpr SettingNames<LawSolver, 6> kLawSolverNames{{{"auto", LawSolver::automatic},
                                                             {"direct", LawSolver::direct},
                                                             {"split", LawSolver::split},
                                                             {"gauss-seidel", LawSolver::gauss_seidel},
                                                             {"lemke", LawSolver::lemke},
                                                             {"cone", LawSolver::cone}}};

inline constexpr SettingNames<Formulation, 6> kFormulationNames{{{"os", Formulation::operational_space},
                                                                 {"nmc", Formulation::non_minimal},
                                                                 {"mc", Formulation::minimal},
                                                                 {"rmc", Formulation::reduced_minimal},
                                                                 {"nmc-os", Formulation::non_minimal_os},
                                                                 {"maximal-os", Formulation::maximal_os}}};

inline constexpr SettingNames<SweepAlgorithm, 3> kSweepAlgorithmNames{
    {{"plain", SweepAlgorithm::plain},
     {"monitored", SweepAlgorithm::monitored},
     {"kept-residual", SweepAlgorithm::kept_residual}}};
inline constexpr SettingNames<SweepOrder, 5> kSweepOrderNames{{{"auto", SweepOrder::automatic},
                                                               {"given", SweepOrder::given},
                                                               {"symmetric", SweepOrder::symmetric},
                                                               {"random", SweepOrder::random},
                                                               {"coloured", SweepOrder::coloured}}};
inline constexpr SettingNames<SweepFriction, 3> kSweepFrictionNames{{{"exact", SweepFriction::exact},
                                                                     {"projection", SweepFriction::projection},
                                                                     {"approximate", SweepFriction::approximate}}};

// `solver` in a scene file and --solver: one word for the solver of the joints or for that of the laws. With Bender's names.
struct SolverChoice {
  LinearSolver linear = LinearSolver::automatic;
  LawSolver laws = LawSolver::automatic;
};
inline constexpr SettingNames<SolverChoice, 19> kSolverNames{{{"auto", {}},
                                                              {"tree", {LinearSolver::tree}},
                                                              {"fronts", {LinearSolver::fronts}},
                                                              {"sparse", {LinearSolver::sparse}},
                                                              {"dense", {LinearSolver::dense}},
                                                              {"dense-kkt", {LinearSolver::dense_kkt}},
                                                              {"cg", {LinearSolver::cg}},
                                                              {"cg-tree", {LinearSolver::cg_tree}},
                                                              {"linear", {LinearSolver::tree}},
                                                              {"sle", {LinearSolver::dense}},
                                                              {"sle-sparse", {LinearSolver::sparse}},
                                                              {"iterative", {LinearSolver::iterative}},
                                                              {"parts", {LinearSolver::parts}},
                                                              {"parts-in-turn", {LinearSolver::parts_in_turn}},
                                                              {"direct", {{}, LawSolver::direct}},
                                                              {"split", {{}, LawSolver::split}},
                                                              {"gauss-seidel", {{}, LawSolver::gauss_seidel}},
                                                              {"lemke", {{}, LawSolver::lemke}},
                                                              {"cone", {{}, LawSolver::cone}}}};

// The word of a value; "auto" for one that has none.
template <class Value, std::size_t n>
constexpr std::string_view word_of(const SettingNames<Value, n>& names, std::type_identity_t<Value> value) {
  for (const auto& [word, each] : names)
    if (each == value) return word;
  return "auto";
}

template <class Value, std::size_t n>
constexpr std::optional<Value> value_of(const SettingNames<Value, n>& names, std::string_view word) {
  for (const auto& [each, value] : names)
    if (each == word) return value;
  return std::nullopt;
}

}  // namespace catena
