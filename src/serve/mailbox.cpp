#include "catena/serve/mailbox.h"

#include <utility>

namespace catena {
namespace {

constexpr std::size_t kCommands = 64;

}  // namespace

bool Mailbox::post(const Command& command) {
  {
    const std::lock_guard lock(mutex_);
    if (!commands_.empty() && std::holds_alternative<DragCommand>(command) &&
        std::holds_alternative<DragCommand>(commands_.back()))
      commands_.pop_back();
    if (commands_.size() >= kCommands) return false;
    commands_.push_back(command);
  }
  wake_.notify_all();
  return true;
}

std::deque<Command> Mailbox::take_commands() {
  std::deque<Command> taken;
  const std::lock_guard lock(mutex_);
  taken.swap(commands_);
  return taken;
}

void Mailbox::wait() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return something(); });
}

void Mailbox::wait_until(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  wake_.wait_until(lock, deadline, [this] { return something(); });
}

bool Mailbox::has_something() const {
  const std::lock_guard lock(mutex_);
  return something();
}

void Mailbox::put_frame(Bytes frame) {
  const std::lock_guard lock(mutex_);
  frame_ = std::move(frame);
}

void Mailbox::put_status(Bytes status) {
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
}

Bytes Mailbox::latest_frame() const {
  const std::lock_guard lock(mutex_);
  return frame_;
}

Bytes Mailbox::latest_status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Mailbox::begin() {
  const std::lock_guard lock(mutex_);
  stopped_ = false;
}

void Mailbox::ask_to_end() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

bool Mailbox::is_to_end() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void Mailbox::has_ended() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  wake_.notify_all();
}

bool Mailbox::wait_for_end(std::chrono::duration<double> patience) {
  std::unique_lock lock(mutex_);
  return wake_.wait_for(lock, patience, [this] { return stopped_; });
}

}  // namespace catena
