// A disk that fails, for one process (LD_PRELOAD). It looks only at the files of the store, `bridle.sqlite` and its log.
//
// Beside the real files it keeps what would be on the disk after a power cut: ranges that were written reach it when a sync
// succeeds. A sync that fails forgets them, as Linux does: the pages count as clean, and a later sync does not write them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Shared with the program that starts the server: a file of four numbers.
struct control {
  volatile int32_t failing;  // so many syncs of the log fail from now on
  volatile int32_t full;     // there is no room
  volatile int32_t failed;   // so many syncs have failed
  volatile int32_t synced;   // so many have not
};

struct range {
  off_t from, to;
};

#define RANGES 65536
struct disk_file {
  const char *name;
  struct range ranges[RANGES];
  int count;
  int source;  // a second descriptor, to read what was written
  ino_t inode; // of the file that `source` is
};

static struct disk_file files[2] = {{.name = "bridle.sqlite"}, {.name = "bridle.sqlite-wal"}};
static struct control *control;
static const char *folder;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("BRIDLE_CRASH_DISK");
  const char *path = getenv("BRIDLE_CRASH_CONTROL");
  int fd = path ? open(path, O_RDWR) : -1;
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map != MAP_FAILED) control = map;
  close(fd);
}

static struct disk_file *file_by_name(const char *path) {
  // The copies of what the disk has are under the same names; they are not watched themselves.
  if (strncmp(path, folder, strlen(folder)) == 0) return NULL;
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  for (int i = 0; i < 2; i++)
    if (strcmp(files[i].name, name) == 0) return &files[i];
  return NULL;
}

static struct disk_file *file_of(int fd) {
  if (!control || !folder) return NULL;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return NULL;
  path[length] = 0;
  return file_by_name(path);
}

static void shadow_path(struct disk_file *file, char *path) { snprintf(path, PATH_MAX, "%s/%s", folder, file->name); }

static void note(struct disk_file *file, off_t from, off_t to) {
  pthread_mutex_lock(&guard);
  struct range *last = file->count > 0 ? &file->ranges[file->count - 1] : NULL;
  if (last && last->to == from)
    last->to = to;
  else if (file->count < RANGES)
    file->ranges[file->count++] = (struct range){from, to};
  else {
    // Too many to remember one by one: everything counts.
    file->ranges[0] = (struct range){0, to > last->to ? to : last->to};
    file->count = 1;
  }
  pthread_mutex_unlock(&guard);
}

static void reach_disk(struct disk_file *file, int fd) {
  char path[PATH_MAX], block[65536];
  shadow_path(file, path);
  int shadow = open(path, O_RDWR | O_CREAT, 0600);
  if (shadow < 0) abort();
  struct stat info;
  fstat(fd, &info);
  if (!file->source || file->inode != info.st_ino) {
    // Never closed: closing any descriptor of a file drops all locks that this process has on it.
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    file->source = open(link, O_RDONLY);
    file->inode = info.st_ino;
  }
  pthread_mutex_lock(&guard);
  for (int i = 0; i < file->count; i++)
    for (off_t at = file->ranges[i].from; at < file->ranges[i].to;) {
      size_t want = file->ranges[i].to - at < (off_t)sizeof block ? (size_t)(file->ranges[i].to - at) : sizeof block;
      ssize_t got = pread(file->source, block, want, at);
      if (got <= 0) break;
      if (pwrite(shadow, block, got, at) != got) abort();
      at += got;
    }
  file->count = 0;
  pthread_mutex_unlock(&guard);
  if (ftruncate(shadow, info.st_size) != 0) abort();
  close(shadow);
}

static int sync_with(int fd, const char *name) {
  int (*next)(int) = dlsym(RTLD_NEXT, name);
  struct disk_file *file = file_of(fd);
  if (!file) return next(fd);
  if (control->failing > 0) {
    control->failing--;
    control->failed++;
    pthread_mutex_lock(&guard);
    file->count = 0;
    pthread_mutex_unlock(&guard);
    errno = EIO;
    return -1;
  }
  int result = next(fd);
  if (result == 0) {
    reach_disk(file, fd);
    control->synced++;
  }
  return result;
}

int fsync(int fd) { return sync_with(fd, "fsync"); }
int fdatasync(int fd) { return sync_with(fd, "fdatasync"); }

static ssize_t write_at(int fd, const void *bytes, size_t size, off_t at, const char *name) {
  ssize_t (*next)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, name);
  struct disk_file *file = file_of(fd);
  if (!file) return next(fd, bytes, size, at);
  if (control->full) {
    errno = ENOSPC;
    return -1;
  }
  ssize_t written = next(fd, bytes, size, at);
  if (written > 0) note(file, at, at + written);
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { return write_at(fd, bytes, size, at, "pwrite"); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) { return write_at(fd, bytes, size, at, "pwrite64"); }

ssize_t write(int fd, const void *bytes, size_t size) {
  static ssize_t (*next)(int, const void *, size_t);
  if (!next) next = dlsym(RTLD_NEXT, "write");
  struct disk_file *file = file_of(fd);
  if (!file) return next(fd, bytes, size);
  if (control->full) {
    errno = ENOSPC;
    return -1;
  }
  off_t at = lseek(fd, 0, SEEK_CUR);
  ssize_t written = next(fd, bytes, size);
  if (written > 0) note(file, at, at + written);
  return written;
}

int unlink(const char *path) {
  int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
  int result = next(path);
  struct disk_file *file = control && folder ? file_by_name(path) : NULL;
  if (result == 0 && file) {
    char shadow[PATH_MAX];
    shadow_path(file, shadow);
    next(shadow);
    file->count = 0;
  }
  return result;
}
