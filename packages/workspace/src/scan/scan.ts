// Lists and searches in a thread with a deadline: trees may be large, and a regular expression may never finish.
import type { Worker } from 'node:worker_threads'
import type { ConfinedFolder } from '../files/confined-folder.ts'
import { RESULT_CHARS_MAX } from '../files/limits.ts'
import { WorkspaceError } from '../files/workspace-error.ts'
import { KeptThread } from '../kept-thread.ts'
import type { ScanEnd, ScanMessage, ScanRequest } from './scan-request.ts'

const threads = new KeptThread('scan-thread', import.meta.url)

export interface ScanOptions {
  /** Deadline of the scan, excluding thread start. */
  readonly ms: number
  readonly signal: AbortSignal
}

export const scan = async (folder: ConfinedFolder, request: ScanRequest, options: ScanOptions): Promise<string> => {
  // Fail early on an invalid path. The thread checks it again.
  folder.placeOf(request.path)
  options.signal.throwIfAborted()
  const { lines, isLate, isCut = false, skipped = 0 } = await scanIn(threads.take(), request, options)
  const notes = [
    ...(isLate ? [`The time of ${options.ms} ms was over before everything was looked at.`] : []),
    ...(isCut ? ['There is more. Ask for a folder, or for a narrower pattern.'] : []),
    ...(skipped > 0 ? [`${skipped} files or folders were passed over.`] : []),
    ...(lines.length === 0 ? ['Nothing was found.'] : []),
  ]
  return [...lines, ...(notes.length > 0 ? [`(${notes.join(' ')})`] : [])].join('\n')
}

interface ScanResult extends Partial<ScanEnd> {
  readonly lines: readonly string[]
  readonly isLate?: boolean
}

const scanIn = async (thread: Worker, request: ScanRequest, { ms, signal }: ScanOptions): Promise<ScanResult> => {
  const lines: string[] = []
  let chars = 0
  let isDone = false
  let timer: NodeJS.Timeout | undefined
  const removals: (() => void)[] = []
  try {
    return await new Promise<ScanResult>((resolve, reject) => {
      const onAbort = () => reject(signal.reason)
      const onFailure = () => reject(new WorkspaceError('failed', FAILED))
      const onMessage = (message: ScanMessage) => {
        isDone = 'end' in message || 'error' in message
        if ('begun' in message) timer = setTimeout(() => resolve({ lines, isLate: true }), ms)
        else if ('end' in message) resolve({ lines, ...message.end })
        else if ('error' in message) reject(new WorkspaceError(message.error.code, message.error.message))
        else if (chars + message.line.length > RESULT_CHARS_MAX) resolve({ lines, isCut: true })
        else {
          chars += message.line.length + 1
          lines.push(message.line)
        }
      }
      signal.addEventListener('abort', onAbort, { once: true })
      thread.on('message', onMessage).on('error', onFailure).on('exit', onFailure)
      removals.push(
        () => signal.removeEventListener('abort', onAbort),
        () => thread.off('message', onMessage).off('error', onFailure).off('exit', onFailure),
      )
      thread.postMessage(request)
    })
  } finally {
    clearTimeout(timer)
    for (const remove of removals) remove()
    // A thread still at work would mix its lines into the next call.
    if (isDone) threads.giveBack(thread)
    else void thread.terminate()
  }
}

const FAILED = 'The files could not be looked at. Ask for a folder, or for a narrower pattern.'
