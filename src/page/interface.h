// What WebAssembly shows of the laboratory: C, so that a page can call it. A question is a text
// that the caller writes into page_room(size); each function answers it in page_answer(), of
// page_answer_size() bytes, and returns 0, or 1 if the answer is a sentence that says what is wrong
// with the question. Room and answer stay until the next call.
#pragma once

#include <cstddef>

extern "C" {

char* page_room(std::size_t size);
const char* page_answer();
std::size_t page_answer_size();

// Of a trace: as `hapax trace --json`, `--svg` and `--shiviz` print it, as `hapax replay` writes it, and step
// by step (page/steps.h), the last one without what cannot be carried out.
int page_trace_json();
int page_trace_svg();
int page_trace_shiviz();
int page_trace_text();
int page_steps();
int page_steps_forgiving();

// Of a request in JSON (page/requests.h). Progress goes to page_progress().
int page_check();
int page_simulate();
int page_compare();
int page_measure();

// As `hapax algorithms --json` prints them; asks nothing.
int page_algorithms();

// Given by the host: how far a check is, or, in per cent, a comparison; and the time in seconds, from any beginning.
void page_progress(double states, double frontier, double depth, double bytes);
double page_now();
}
