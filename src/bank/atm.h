// What an ATM does. It is a process of its own that is told by lines on standard input, and answers
// with one line each on standard output:
//
//   deposit ACCOUNT TIMES AMOUNT THINK_US     done: reads, thinks, writes; no lock
//   connect ADDRESS ACCOUNT                   ready: has a lock for the account, not held
//   deposit-locked ACCOUNT TIMES AMOUNT THINK_US   done: the same while holding the lock
//   take ACCOUNT                              took EPOCH TURN BALANCE: holds the lock and has read
//   put ACCOUNT AMOUNT                        admitted | refused: writes what it read + AMOUNT,
//                                             with its fence, whatever has become of the lock
//   read ACCOUNT                              read BALANCE: past no gate
//   write ACCOUNT AMOUNT                      written: what it read + AMOUNT, past no gate
//   hear-of-loss                              lost: its lock has told it so
//   leave                                     left: gives the lock back
//
// Or `error TEXT`. It ends with its standard input.
#pragma once

#include <filesystem>

namespace hapax::bank {

int run_atm(const std::filesystem::path& books, int number);

}  // namespace hapax::bank
