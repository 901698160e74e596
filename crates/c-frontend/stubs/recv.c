/* recv() gives these, call by call, then nothing more. A length of -4 is the error number 4. */
unsigned char recv_bytes[4][16];
int recv_lengths[4];

long recv(int file, void *buffer, unsigned long size, int flags)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 4 ? calls++ : 4;
    long length = call < 4 ? recv_lengths[call] : 0;
    long i;

    (void)file;
    (void)flags;
    if (length < 0) {
        *__errno_location() = (int)-length;
        return -1;
    }
    for (i = 0; i < length && i < 16 && (unsigned long)i < size; i++)
        ((unsigned char *)buffer)[i] = recv_bytes[call][i];
    return i;
}
