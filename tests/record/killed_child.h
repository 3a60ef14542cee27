// A forked process that is killed as a user or the system would do it: SIGKILL, no goodbye.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace catena::testing {

// Runs `work` in a child, which must not return, and kills it after `patience`.
inline void run_and_kill(const std::function<void()>& work, std::chrono::milliseconds patience) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  std::this_thread::sleep_for(patience);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended before it was killed";
}

}  // namespace catena::testing
