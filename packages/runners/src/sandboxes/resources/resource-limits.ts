// How much a sandbox may use, and the words for one that used more. Not as RLIMIT_AS, which counts address space: engines
// reserve far more of that than they ever use.
import { formatBytes, parseByteText } from './byte-sizes.ts'

/**
 * Threads for each process that is allowed. The kernel's own limit (pids.max) counts threads, of which a Node process has
 * about 15 and a shell one: a limit of 256 threads would stop an ordinary build.
 */
const THREADS_PER_PROCESS = 16

export interface ResourceLimits {
  /** All processes of the sandbox together. */
  readonly memoryBytes: number
  readonly processes: number
  /** All folders of the sandbox together. */
  readonly workBytes: number
}

const GIBIBYTE = 2 ** 30

export const RESOURCE_LIMITS: ResourceLimits = {
  /** An engine takes about half a gibibyte; the rest is for the compiler or the test suite that it runs. */
  memoryBytes: 4 * GIBIBYTE,
  /** A parallel build runs about one process per core; a loop that forks exceeds this at once. */
  processes: 256,
  /** A large repository with its packages and its build; ten such sessions fit on an ordinary disk. */
  workBytes: 10 * GIBIBYTE,
}

export const threadsMax = ({ processes }: ResourceLimits): number => processes * THREADS_PER_PROCESS

export interface ExceededLimit {
  readonly resource: 'memory' | 'processes' | 'threads' | 'disk'
  /** Null: the amount could not be measured. */
  readonly used: number | null
  readonly limit: number
}

/** Absent settings have their defaults. Sizes are bytes, or text such as '512 MiB'. Throws a sentence. */
export const parseResourceLimits = (input: unknown): ResourceLimits => {
  if (input === undefined || input === null) return RESOURCE_LIMITS
  if (typeof input !== 'object' || Array.isArray(input)) {
    throw new Error("limits must be an object such as { memoryBytes: '4 GiB', processes: 256, workBytes: '10 GiB' }.")
  }
  const given = input as { [name: string]: unknown }
  const unknownName = Object.keys(given).find((name) => !Object.hasOwn(RESOURCE_LIMITS, name))
  if (unknownName !== undefined) {
    throw new Error(`limits has no setting "${unknownName}". There are ${Object.keys(RESOURCE_LIMITS).join(', ')}.`)
  }
  return {
    memoryBytes: parseBytes('memoryBytes', given.memoryBytes ?? RESOURCE_LIMITS.memoryBytes),
    processes: parseCount('processes', given.processes ?? RESOURCE_LIMITS.processes),
    workBytes: parseBytes('workBytes', given.workBytes ?? RESOURCE_LIMITS.workBytes),
  }
}

/** For people: "4 GiB of memory, 256 processes, 10 GiB of disk". */
export const describeLimits = ({ memoryBytes, processes, workBytes }: ResourceLimits): string =>
  `${formatBytes(memoryBytes)} of memory, ${processes} processes, ${formatBytes(workBytes)} of disk`

/** For people: "The sandbox used 4.3 GiB of memory; 4 GiB are allowed." */
export const describeExceeded = ({ resource, used, limit }: ExceededLimit): string => {
  const format = resource === 'memory' || resource === 'disk' ? formatBytes : String
  if (used === null) return unmeasured[resource](format(limit))
  // Rounding must not make a figure that is over its limit look equal to it.
  const figure = format(used) === format(limit) && used > limit ? `more than ${format(limit)}` : format(used)
  return `The sandbox ${verbs[resource](figure)}; ${format(limit)} are allowed.`
}

const verbs: { readonly [R in ExceededLimit['resource']]: (figure: string) => string } = {
  memory: (figure) => `used ${figure} of memory`,
  processes: (figure) => `ran ${figure} processes`,
  threads: (figure) => `ran ${figure} threads`,
  disk: (figure) => `put ${figure} into its folders`,
}

const unmeasured: { readonly [R in ExceededLimit['resource']]: (limit: string) => string } = {
  memory: (limit) => `The sandbox needed more memory than the ${limit} that are allowed.`,
  processes: (limit) => `The sandbox started more processes than the ${limit} that are allowed.`,
  threads: (limit) => `The sandbox started more threads than the ${limit} that are allowed.`,
  disk: (limit) => `The sandbox's folders hold too many files to be measured; ${limit} are allowed.`,
}

const parseCount = (name: string, value: unknown): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw new Error(`limits.${name} must be a whole number from 1 on.`)
  }
  return value
}

const parseBytes = (name: string, value: unknown): number => {
  if (typeof value !== 'string') return parseCount(name, value)
  const bytes = parseByteText(value)
  if (bytes === null) throw new Error(`limits.${name} must be a number of bytes, or text such as '512 MiB' or '4 GiB'.`)
  return parseCount(name, bytes)
}
