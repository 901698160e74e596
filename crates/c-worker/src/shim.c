/*
 * The guard around a run, in C because a run may be left at any instruction: whatever stands on the stack
 * then is simply forgotten, which Rust frames do not allow.
 *
 * The target runs on a stack of its own. Leaving it is a switch back to the host's stack pointer, saved on
 * the way in; unlike sigsetjmp this saves no signal mask and costs a nanosecond. The saved stack pointer
 * lives outside the target's stack, so a smashed stack cannot lead the host astray.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

/* Values of `how`; 0 is a return. The Rust side mirrors them in stop.rs. */
enum { EXITED = 1, ABORTED, OUT_OF_TICKS, UNDEFINED, SIGNALLED, TIMED_OUT, BAD_FREE, EXITED_UNFLUSHED, REJECTED, NOT_ALONE,
    FAILED_CHECK };

/* What is known about an abandoned run. Lies in shared memory when runs are forked. */
struct bw_report {
    int32_t how;
    int32_t code; /* status, index or signal */
    int32_t detail; /* si_code */
    uint64_t address, pc, sp, bp;
};

typedef void trampoline(void *arguments, void *result);

struct bw_report *bw_report;
int32_t bw_beats_allowed;

/* Used by the assembly below. */
__attribute__((visibility("hidden"))) void *bw_host_sp;
__attribute__((visibility("hidden"))) volatile int32_t bw_active;

static void *owner;
static volatile uint64_t run;
static uint64_t beating_run;
static int32_t beats;

/* What the target wants called when it ends. */
struct handlers {
    int count;
    void (*functions[256])(void);
};

static struct handlers exit_handlers, quick_exit_handlers;

int bw_enter(trampoline *function, void *arguments, void *result, void *stack);
_Noreturn void bw_leave(int how);

__asm__(
    ".text\n"
    ".globl bw_enter\n.hidden bw_enter\n.type bw_enter,@function\n"
    "bw_enter:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, bw_host_sp(%rip)\n"
    "  movq %rcx, %rsp\n"
    "  xorl %ebp, %ebp\n"
    "  movq %rdi, %rax\n  movq %rsi, %rdi\n  movq %rdx, %rsi\n"
    "  movl $1, bw_active(%rip)\n"
    "  callq *%rax\n"
    "  xorl %eax, %eax\n"
    ".Lbw_back:\n"
    "  movl $0, bw_active(%rip)\n"
    "  movq bw_host_sp(%rip), %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  cld\n"
    "  retq\n"
    ".size bw_enter,.-bw_enter\n"
    ".globl bw_leave\n.hidden bw_leave\n.type bw_leave,@function\n"
    "bw_leave:\n"
    "  movl %edi, %eax\n"
    "  jmp .Lbw_back\n"
    ".size bw_leave,.-bw_leave\n");

/* ---- the run ---- */

enum { DEFAULT_MXCSR = 0x1f80, DEFAULT_X87 = 0x037f, MXCSR_FLAGS = 0x3f, SCRUBBED = 512 };

/* Control words and sticky flags as at program start. Reading is cheap, writing is not. */
static inline void reset_float_environment(void)
{
    uint32_t mxcsr;
    uint16_t control, status;

    __asm__ volatile("stmxcsr %0\n fnstcw %1\n fnstsw %2" : "=m"(mxcsr), "=m"(control), "=m"(status));
    if (mxcsr != DEFAULT_MXCSR) {
        mxcsr = DEFAULT_MXCSR;
        __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    }
    if (control != DEFAULT_X87 || status != 0)
        __asm__ volatile("fninit" : : : "memory");
}

/* The host is entitled to the default rounding mode; it does not use the x87 unit. */
static inline void restore_rounding(void)
{
    uint32_t mxcsr;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    if ((mxcsr & ~MXCSR_FLAGS) != DEFAULT_MXCSR)
        reset_float_environment();
}

/* What an uninitialised local is most likely to show is the same in every run. By hand: the string
 * instructions that compilers put here take longer than all the rest of a run. */
static inline void scrub(char *stack)
{
    typedef long long block __attribute__((vector_size(16)));

    for (block *at = (block *)(stack - SCRUBBED); at != (block *)stack; at++)
        *(volatile block *)at = (block){ 0, 0 };
}

int bw_run(trampoline *function, void *arguments, void *result, char *stack)
{
    int how;

    scrub(stack);
    exit_handlers.count = 0;
    quick_exit_handlers.count = 0;
    run = run + 1;
    reset_float_environment();
    errno = 0;
    how = bw_enter(function, arguments, result, stack);
    restore_rounding();
    return how;
}

/* `caller` is where the target called the runtime, `frame` is that of the called runtime function: it begins
 * with the caller's frame pointer. */
static _Noreturn void stop_at(int how, int code, void *caller, uint64_t *frame)
{
    *bw_report = (struct bw_report){ .code = code, .pc = (uint64_t)caller, .bp = *frame };
    bw_leave(how);
}

#define stop(how, code) stop_at(how, code, __builtin_return_address(0), __builtin_frame_address(0))

/* ---- runtime functions that do not return ---- */

_Noreturn void bw_out_of_ticks(void) { stop(OUT_OF_TICKS, 0); }
_Noreturn void bw_abort(void) { stop(ABORTED, 0); }

_Noreturn void bw_undefined(uint32_t index)
{
    stop(UNDEFINED, (int)index);
}

_Noreturn void bw_failed_check(uint32_t check)
{
    stop(FAILED_CHECK, (int)check);
}

_Noreturn void bw_assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    (void)expression, (void)file, (void)line, (void)function;
    stop(ABORTED, 0);
}

static int add_handler(struct handlers *handlers, void (*handler)(void))
{
    if (handlers->count == (int)(sizeof handlers->functions / sizeof *handlers->functions))
        return -1;
    handlers->functions[handlers->count++] = handler;
    return 0;
}

/* A handler may itself call exit: the rest of the handlers then run with the new status. */
static void call_handlers(struct handlers *handlers)
{
    while (handlers->count > 0)
        handlers->functions[--handlers->count]();
}

int bw_at_exit(void (*handler)(void)) { return add_handler(&exit_handlers, handler); }
int bw_at_quick_exit(void (*handler)(void)) { return add_handler(&quick_exit_handlers, handler); }

_Noreturn void bw_exit(int status)
{
    call_handlers(&exit_handlers);
    stop(EXITED, status & 0xff);
}

_Noreturn void bw_quick_exit(int status)
{
    call_handlers(&quick_exit_handlers);
    stop(EXITED_UNFLUSHED, status & 0xff);
}

_Noreturn void bw_exit_at_once(int status) { stop(EXITED_UNFLUSHED, status & 0xff); }
_Noreturn void bw_reject(void) { stop(REJECTED, 0); }

int32_t bw_is_alone;

void bw_alone(void)
{
    if (!bw_is_alone)
        stop(NOT_ALONE, 0);
}

/* ---- runtime functions whose failure ends the run, or that read the target's memory ---- */

void *bw_heap_malloc(size_t size);
int bw_heap_free(void *block);
void *bw_heap_realloc(void *block, size_t size, int *bad);

/* Not inlined, here and below: `free` of the whole process must leave no frame of its own between the target and the
 * library, or nobody finds back through it. */
__attribute__((noinline)) void bw_free(void *block)
{
    int refusal = bw_heap_free(block);

    if (refusal)
        stop(BAD_FREE, refusal);
}

__attribute__((noinline)) void *bw_realloc(void *block, size_t size)
{
    int bad = 0;
    void *moved = bw_heap_realloc(block, size, &bad);

    if (bad)
        stop(BAD_FREE, bad);
    return moved;
}

/* The library gives back what the target allocated, in regfree or getline: whoever frees a block of the target's heap
 * ends here. */
int bw_heap_contains(const void *address);
void __libc_free(void *block);
void *__libc_realloc(void *block, size_t size);

void free(void *block)
{
    if (bw_heap_contains(block))
        bw_free(block);
    else
        __libc_free(block);
}

void *realloc(void *block, size_t size)
{
    return bw_heap_contains(block) ? bw_realloc(block, size) : __libc_realloc(block, size);
}

char *bw_strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = bw_heap_malloc(length + 1);

    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

char *bw_strdup(const char *text)
{
    return bw_strndup(text, strlen(text));
}

void bw_record_long_double(uint32_t branch, uint32_t predicate, const uint64_t a[2], const uint64_t b[2]);

/* Rust has no `long double`: it gets the ten bytes that carry the value. */
void bw_probe_long_double(uint32_t branch, uint32_t predicate, long double a, long double b)
{
    uint64_t bits[2][2] = { { 0 } };

    memcpy(bits[0], &a, 10);
    memcpy(bits[1], &b, 10);
    bw_record_long_double(branch, predicate, bits[0], bits[1]);
}

/* ---- signals ---- */

int bw_snapshot_open(uint64_t address);

static _Noreturn void leave_by_signal(int how, int number, siginfo_t *info, ucontext_t *context)
{
    bw_report->code = number;
    bw_report->detail = info->si_code;
    bw_report->address = (uint64_t)info->si_addr;
    bw_report->pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    bw_report->sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
    bw_report->bp = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
    bw_leave(how);
}

static int in_target(void)
{
    return bw_active && owner == __builtin_thread_pointer();
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    int saved = errno;

    if (number == SIGSEGV && info->si_code == SEGV_ACCERR && bw_snapshot_open((uint64_t)info->si_addr)) {
        errno = saved;
        return;
    }
    if (in_target())
        leave_by_signal(SIGNALLED, number, info, context);
    /* A fault of the worker itself: die of it. */
    signal(number, SIG_DFL);
    raise(number);
}

/* A run is out of time when it has seen enough beats of the clock. Counting beats instead of reading the
 * clock keeps a process that was not scheduled for a while from being blamed for it. */
static void on_beat(int number, siginfo_t *info, void *context)
{
    if (!in_target())
        return;
    if (beating_run != run) {
        beating_run = run;
        beats = 0;
    } else if (++beats >= bw_beats_allowed) {
        leave_by_signal(TIMED_OUT, number, info, context);
    }
}

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGPIPE };
enum { FAULTS = sizeof faults / sizeof *faults };
static struct sigaction before[FAULTS + 1];

/* Takes over the signals for the calling thread's runs; `beat` is the number of the clock's signal. */
void bw_install(int beat)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

    owner = __builtin_thread_pointer();
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &action, &before[i]);
    action.sa_sigaction = on_beat;
    action.sa_flags |= SA_RESTART;
    sigaction(beat, &action, &before[FAULTS]);
}

void bw_uninstall(int beat)
{
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &before[i], NULL);
    sigaction(beat, &before[FAULTS], NULL);
}

/* ---- stdio ---- */

/* Throws away what the last run left in the buffers and forgets its error marks. */
void bw_stdio_purge(void)
{
    __fpurge(stdout);
    __fpurge(stderr);
    clearerr(stdout);
    clearerr(stdin);
}

static void flush_in_guard(void *arguments, void *result)
{
    (void)arguments, (void)result;
    fflush(stdout);
}

/* The target may have broken its FILE: flushing is a run of its own, about which nothing is reported. */
void bw_stdout_flush(char *stack)
{
    struct bw_report about_the_run = *bw_report;

    run = run + 1;
    bw_enter(flush_in_guard, NULL, NULL, stack);
    *bw_report = about_the_run;
}
