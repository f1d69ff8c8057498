// Limits of sandboxes and their folders, with the reason for each number.

/** Each level of a copy holds a few open files, of which a process has about a thousand. */
export const FOLDER_DEPTH_MAX = 200
/** A sparse file is copied by a program; smaller holes are not worth its start. */
export const HOLES_MIN_BYTES = 1024 ** 2
/** A program copies 10 GiB of data, the default limit of a sandbox, in this time from a slow disk. */
export const SPARSE_COPY_MS = 5 * 60_000
/** A few dozen sessions with a large project each. */
export const TENANT_BYTES_MAX = 20 * 1024 ** 3
/** Each new session asks for the sizes, and measuring them takes seconds. */
export const MEASUREMENT_TRUST_MS = 60_000
/** `du` reads a million files in this time; the caller of a new session waits for it. */
export const TENANT_MEASURE_MS = 60_000
/** Folders that one `du` measures: their paths fit a command line many times over. */
export const MEASURED_FOLDERS = 200
/** As much shared memory as container runtimes give: browsers need some, and it counts as memory. */
export const SHM_BYTES = 64 * 1024 * 1024
/** A busy machine may answer late once; three times in a row the runner is dead. */
export const HEALTH_TRIES = 3
/** A server that died may be started again; its runners keep their runs until then. */
export const ORPHAN_MS = 20 * 60_000
/** Killed processes are gone within milliseconds; a kernel that writes a full disk takes seconds. */
export const KILLED_MS = 5_000
/** The output of a runner is for an operator who looks at the end of it. Larger files are emptied. */
export const OUTPUT_BYTES_MAX = 8 * 1024 * 1024
/** A look takes 10 ms of processor time on a machine with 430 processes, 300 of them in the sandbox. */
export const SAMPLE_MS = 1_000
/** Neither counting nor measuring takes more than about a tenth of the time. */
export const PAUSE_FACTOR = 10
/** A disk fills more slowly than memory, and measuring it starts a program. */
export const DISK_SAMPLES = 3
/** `du` reads a few million files in that time. */
export const DISK_MEASURE_MS = 300_000
/** A first walk over a cold disk may be slow. Folders that take that long twice hold more than a limit allows. */
export const DISK_TIMEOUTS_MAX = 2
/** 256 processes with 80 open files each. A process may open a million, and reading them all would block the server. */
export const OPEN_FILES_MAX = 20_000
/** A healthy runner answers in milliseconds; a machine at its limit does not. */
export const HEALTH_MS = 2_000
/** Setting variables or asking a runner to stop is one small request. */
export const RUNNER_CALL_MS = 5_000
/** A process may start another one during the search. Each round kills what the last one missed. */
export const STRAY_ROUNDS = 5
/** A killed process is gone within milliseconds. A command that still starts others after all rounds does so on purpose. */
export const LEFTOVER_ROUNDS = 100
export const LEFTOVER_ROUND_MS = 20
/**
 * Threads for each process that is allowed. The kernel's own limit (pids.max) counts threads, of which a Node process has
 * about 15 and a shell one: a limit of 256 threads would stop an ordinary build.
 */
export const THREADS_PER_PROCESS = 16
/** The text of a file of 1 MB as JSON, each of its characters escaped; a list of 1,000 changes is shorter. */
export const WORK_FILES_BYTES_MAX = 8 * 1024 * 1024
/** The runner compares for ten seconds at most, and others may wait before. */
export const WORK_FILES_MS = 30_000
/** Levels below a work folder at which projects of Bridle are looked for: `apps/web/bot` is the third. */
export const PROJECT_DEPTH_MAX = 4
/** Folders that are looked at for projects: some 50 ms on a warm disk. */
export const PROJECT_FOLDERS_MAX = 3_000
/** The interval at which a sandbox in place is asked whether its run has ended: a person may edit files soon after it. */
export const WRITING_CHECK_MS = 1_000
/** Placeholders that are still mounted when their sandbox has ended are looked at again this often, for three seconds: its last processes are ending. */
export const SWEEP_MS = 300
export const SWEEP_TRIES = 10
