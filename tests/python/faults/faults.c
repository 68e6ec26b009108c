/* Preloaded before the C library: counts the calls that change files below FAULTS_BELOW, and lets one of them fail.
 *
 * FAULTS_AT is its number from 1; 0 only counts, and the count is written to FAULTS_COUNT at the end. FAULTS_KIND is
 * "enospc" or "eio" (the call fails, and so do all writes after it, as on a full or broken disk), "eintr" (it is
 * interrupted once), "short" (a write takes half of the octets), or "kill" (the process is killed before the call).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { NONE, FAIL, EINTR_ONCE, SHORT, KILL };

static long count, at;
static enum kind kind;
static int error_number;
static const char *below;

__attribute__((constructor)) static void start(void) {
    const char *text = getenv("FAULTS_KIND");
    below = getenv("FAULTS_BELOW");
    at = getenv("FAULTS_AT") ? atol(getenv("FAULTS_AT")) : 0;
    if (!text || !below) return;
    kind = !strcmp(text, "kill") ? KILL : !strcmp(text, "short") ? SHORT : !strcmp(text, "eintr") ? EINTR_ONCE : FAIL;
    error_number = !strcmp(text, "eio") ? EIO : !strcmp(text, "eintr") ? EINTR : ENOSPC;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULTS_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", count);
        fclose(file);
    }
}

static int is_below(const char *path) {
    char whole[8192];
    if (!below || !path) return 0;
    if (*path != '/') {
        char folder[4096];
        if (!getcwd(folder, sizeof folder)) return 0;
        snprintf(whole, sizeof whole, "%s/%s", folder, path);
        path = whole;
    }
    return !strncmp(path, below, strlen(below));
}

static int fd_is_below(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

/* Whether this call must fail; a call that takes half is -1. */
static int fault(int is_write) {
    count++;
    if (!at || count < at) return 0;
    if (kind == FAIL && (count == at || is_write)) {
        errno = error_number;
        return 1;
    }
    if (count != at) return 0;
    if (kind == KILL) kill(getpid(), SIGKILL);
    if (kind == EINTR_ONCE && is_write) {
        errno = EINTR;
        return 1;
    }
    return kind == SHORT && is_write ? -1 : 0;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t length) {
    REAL(write);
    if (fd_is_below(fd)) {
        int found = fault(1);
        if (found > 0) return -1;
        if (found < 0 && length > 1) length /= 2;
    }
    return real(fd, data, length);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t place) {
    REAL(pwrite64);
    if (fd_is_below(fd)) {
        int found = fault(1);
        if (found > 0) return -1;
        if (found < 0 && length > 1) length /= 2;
    }
    return real(fd, data, length, place);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev);
    if (fd_is_below(fd)) {
        int found = fault(1);
        if (found > 0) return -1;
        if (found < 0 && count > 1) count = 1;
    }
    return real(fd, parts, count);
}

int fsync(int fd) {
    REAL(fsync);
    return fd_is_below(fd) && fault(0) > 0 ? -1 : real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    return fd_is_below(fd) && fault(0) > 0 ? -1 : real(fd);
}

int ftruncate64(int fd, off64_t length) {
    REAL(ftruncate64);
    return fd_is_below(fd) && fault(0) > 0 ? -1 : real(fd, length);
}

/* Network file systems report a full disk here; the descriptor is closed nevertheless. */
int close(int fd) {
    REAL(close);
    int flags = fcntl(fd, F_GETFL);
    int failed = flags != -1 && (flags & O_ACCMODE) != O_RDONLY && fd_is_below(fd) && fault(0) > 0;
    int error = errno, result = real(fd);
    if (!failed) return result;
    errno = error;
    return -1;
}

int rename(const char *from, const char *to) {
    REAL(rename);
    return is_below(to) && fault(0) > 0 ? -1 : real(from, to);
}

int unlink(const char *path) {
    REAL(unlink);
    return is_below(path) && fault(0) > 0 ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return is_below(path) && fault(0) > 0 ? -1 : real(path, mode);
}

static int opens(const char *path, int flags) { return (flags & O_CREAT) && is_below(path) && fault(0) > 0; }

int open(const char *path, int flags, ...) {
    REAL(open);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opens(path, flags) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    REAL(open64);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opens(path, flags) ? -1 : real(path, flags, mode);
}
