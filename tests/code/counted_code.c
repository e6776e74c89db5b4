// Instructions that can be counted: a million of them in a row, each of one byte, and a return.
__asm__(
    ".globl counted_code_end\n"
    ".type counted_code_end, @function\n"
    ".fill 1000000, 1, 0x90\n"
    "counted_code_end: ret\n");
