// Threads of C++: two, of which one throws.
#include <exception>
#include <stdexcept>
#include <thread>

int main() {
    std::thread quiet([] {});
    std::thread loud([] {
        try {
            throw std::runtime_error("caught");
        } catch (const std::exception&) {
        }
    });
    quiet.join();
    loud.join();
}
