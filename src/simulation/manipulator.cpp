#include "catena/simulation/manipulator.h"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr int kMoves = 12;           // a call makes at most this many
constexpr double kMaxTurn = 0.25;    // rad a move
constexpr double kMaxReach = 1;      // sizes of the mechanism a move, or a quarter of the way
constexpr double kClosed = 1e-10;    // violation left after a move, lengths in sizes of the mechanism
constexpr double kSoftening = 1e-6;  // of the compliance: directions the joints hold are left alone
constexpr int kProjections = 40;

Model without_motors(Model model) {
  for (JointExtras& extras : model.extras) extras.motor.reset();
  return model;
}

Vec3 velocity_at(const BodyVector& v, const Vec3& arm) { return v.linear + cross(v.angular, arm); }

Vec3 arm_of(const BodyState& s, const Vec3& point) { return s.scale * rotate(s.orientation, point); }

}  // namespace

Manipulator::Manipulator(const Model& model, const State& initial, LinearSolver solver)
    : model_(without_motors(model)),
      initial_(initial),
      size_(mechanism_size(model, initial)),
      dynamics_(std::make_unique<Dynamics>(model_, initial, solver)),
      projection_(std::make_unique<Projection>(*dynamics_, initial, size_)),
      no_motion_(static_cast<std::size_t>(dynamics_->row_count())) {
  for (auto& response : response_) response.resize(model_.bodies.size());
}

Manipulator::~Manipulator() = default;

// Fills response_ and compliance_ at the state.
bool Manipulator::respond(BodyId body, const Vec3& arm, const State& state) {
  dynamics_->kinematics().update(model_, state);
  if (!dynamics_->system().factor(dynamics_->kinematics(), true)) return false;
  Vec3 columns[3];
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<BodyVector>& v = response_[axis];
    std::fill(v.begin(), v.end(), BodyVector{});
    Vec3 force{};
    force[axis] = 1;
    v[body] = restricted(model_.bodies[body].kind, {force, cross(arm, force), 0});
    dynamics_->system().solve(no_motion_, v, {});
    columns[axis] = velocity_at(v[body], arm);
  }
  compliance_ = Mat3::from_columns(columns[0], columns[1], columns[2]);
  return true;
}

double Manipulator::effective_mass(BodyId body, const Vec3& point, const State& state) {
  if (!respond(body, arm_of(state.bodies[body], point), state)) return 0;
  const double trace = compliance_(0, 0) + compliance_(1, 1) + compliance_(2, 2);
  return trace > 0 ? 1 / trace : 0;
}

Drift Manipulator::pull(BodyId body, const Vec3& point, const Vec3& target, State& state) {
  for (BodyState& s : state.bodies) s.velocity = s.angular_velocity = {}, s.scale_velocity = 0;
  Drift left = projection_->drift(state);
  double trust = 1;  // how much of what is wanted one move takes on
  for (int move = 0; move < kMoves; ++move) {
    const Vec3 arm = arm_of(state.bodies[body], point);
    Vec3 error = target - (state.bodies[body].position + arm);
    const double distance = norm(error);
    if (distance < 1e-9 * size_ || !respond(body, arm, state)) break;
    error *= trust * std::min(1.0, std::max(kMaxReach * size_ / distance, 0.25));
    const double soft = kSoftening * (compliance_(0, 0) + compliance_(1, 1) + compliance_(2, 2));
    if (!(soft > 0)) break;
    const Vec3 force = inverse(compliance_ + soft * Mat3::identity()) * error;

    double turn = 0;
    const auto velocity = [&](std::size_t i) {
      return force.x * response_[0][i] + force.y * response_[1][i] + force.z * response_[2][i];
    };
    for (std::size_t i = 0; i < state.bodies.size(); ++i) turn = std::max(turn, norm(velocity(i).angular));
    const double scale = turn > kMaxTurn ? kMaxTurn / turn : 1.0;
    const State before = state;
    for (std::size_t i = 0; i < state.bodies.size(); ++i)
      displace(model_.bodies[i].kind, scale * restricted(model_.bodies[i].kind, velocity(i)), state.bodies[i]);
    const Drift after = projection_->positions(state, true, kProjections);
    const Vec3 now = target - (state.bodies[body].position + arm_of(state.bodies[body], point));
    if (!(after.scaled <= kClosed) || norm(now) > distance) {  // too far for one move: back, and a shorter one
      state = before;
      trust *= 0.25;
      continue;
    }
    left = after;
    if (norm(now) > 0.999 * distance) break;
  }
  dynamics_->kinematics().update(model_, state);
  dynamics_->coordinates().remember(model_, dynamics_->kinematics(), state);
  return left;
}

}  // namespace catena
