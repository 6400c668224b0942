// Names of Asio for headers that only pass them on: its own headers are 40,000 lines each time.
#pragma once

namespace boost::asio {

class io_context;

namespace ssl {
class context;
}

}  // namespace boost::asio
