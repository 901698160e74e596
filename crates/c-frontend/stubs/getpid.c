/* getpid() gives this. */
int getpid_result = 1000;

int getpid(void)
{
    return getpid_result;
}
