/* Makes no thread itself: libraries that it is linked with do, in their constructors. */
void in_constructor(void);

int main(void) {
    in_constructor();
    return 0;
}
