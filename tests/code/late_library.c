/* Loaded and unloaded while the program runs. */
int come_late(int number);

__attribute__((noinline)) int come_late(int number) {
    return number + 100;
}
