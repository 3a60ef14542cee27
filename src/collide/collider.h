// Model + State -> contacts (docs/methods/contact.md).
//
//   Collider collider(model);
//   std::vector<Contact> contacts;
//   collider.find(state, contacts);
//
// The contacts depend on the positions alone, not on earlier calls: the same state gives the same bits, in the same order, from this
// object or a new one.
#pragma once

#include <memory>
#include <vector>

#include "catena/collide/contact.h"
#include "catena/model/model.h"

namespace catena {

class Collider {
 public:
  static constexpr double kMargin = 5e-3;  // m

  // Contacts are reported while their gap is at most `margin` >= 0. Keeps a reference to the model.
  explicit Collider(const Model& model, double margin = kMargin);
  ~Collider();
  Collider(Collider&&) noexcept;
  Collider& operator=(Collider&&) noexcept;

  // Replaces `out`: ordered by the shapes of a, then those of b (bodies in the model's order, the ground last), then by feature.
  // Between one body and another a is the earlier one. Once `out` and the buffers have grown, nothing is allocated.
  // `ahead` [s]: gaps wider than the margin by what the two bodies can travel in that time are reported too; then velocities count as
  // well as positions.
  void find(const State& state, std::vector<Contact>& out, double ahead = 0);
  // The same, but of those pairs of shapes only that `which`, in the order of find(), has contacts of: costs what those do.
  void find_among(const std::vector<Contact>& which, const State& state, std::vector<Contact>& out);

  // The longest time, at most h, in which no two of the shapes that `contacts` name can get so deep into each other that the search would
  // find them on the wrong side: each may come as far as to half of what the thinner extents of both leave. `contacts` found at `state` with
  // `ahead` of h or more. Half-spaces have no other side. O(contacts).
  double time_to_pass(const State& state, const std::vector<Contact>& contacts, double h);

  // From now on nothing is searched for between bodies marked in `resting` (n_body), and between them and the ground; they stay where they are at
  // the next find(). Empty: everything is searched for.
  void leave_out(const std::vector<char>& resting);

  // As find(), where `out` is what the last find() or find_again() of this object found, find_among() has not been called since, and only
  // bodies marked in `moved` (n_body) have moved.
  void find_again(const State& state, const std::vector<char>& moved, std::vector<Contact>& out, double ahead = 0);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> ws_;
};

}  // namespace catena
