// The threads that list and search. The last one that is done is kept for the next call: its start takes longer than most scans.
import { Worker } from 'node:worker_threads'
import { SCAN_MEMORY_MB } from '../limits.ts'

const isSource = import.meta.url.endsWith('.ts')
const THREAD = new URL(`./scan-thread.${isSource ? 'ts' : 'js'}`, import.meta.url)

let idle: Worker | null = null

/** A thread for one call. The caller keeps it afterwards, or ends it. */
export const takeThread = (): Worker => {
  const thread = idle ?? startThread()
  idle = null
  thread.ref()
  return thread
}

/** Takes back a thread that has done its work. */
export const keepThread = (thread: Worker): void => {
  if (idle !== null) return endThread(thread)
  idle = thread
  // A process that has nothing else to do may end.
  thread.unref()
}

export const endThread = (thread: Worker): void => void thread.terminate()

const startThread = (): Worker => {
  // Nothing of the server's environment: the thread needs none of it.
  const thread = new Worker(THREAD, {
    env: {},
    execArgv: ['--no-warnings'],
    resourceLimits: { maxOldGenerationSizeMb: SCAN_MEMORY_MB },
  })
  thread.once('exit', () => {
    if (idle === thread) idle = null
  })
  // An error ends the thread; the call that uses it listens too.
  return thread.on('error', () => {})
}
