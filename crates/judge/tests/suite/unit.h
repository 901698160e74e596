#define BOTH(a, b) ((a) > 0 && (b) > 0)

static inline int is_small(int x)
{
    return x < 3 ? 1 : 0;
}
