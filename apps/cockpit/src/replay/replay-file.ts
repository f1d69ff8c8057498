// The file that is open, while the app is: a look at another page must not close it. It is read in the browser; only the page of imports sends
// it to the server.
import { type ExportContent, readExport } from 'bridle/history'
import { bytesText } from 'bridle/words'

/** Bytes of a file that a page reads: it is in memory several times while it is read. */
const FILE_BYTES_MAX = 300_000_000

export type ReplayFile =
  | { readonly type: 'none' }
  | { readonly type: 'reading'; readonly name: string }
  | { readonly type: 'wrong'; readonly name: string; readonly problem: string }
  | OpenFile

export interface OpenFile {
  readonly type: 'open'
  readonly name: string
  readonly content: ExportContent
  /** The bytes, as they would be sent. */
  readonly file: File
}

let current: ReplayFile = { type: 'none' }
let round = 0
const listeners = new Set<() => void>()

const show = (next: ReplayFile): void => {
  current = next
  for (const listener of listeners) listener()
}

export const replayFile = (): ReplayFile => current

export const subscribeReplayFile = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const closeReplayFile = (): void => {
  round += 1
  show({ type: 'none' })
}

/** Reads a file. One that is chosen meanwhile takes its place. */
export const openReplayFile = async (file: File): Promise<void> => {
  const { name } = file
  round += 1
  const own = round
  show({ type: 'reading', name })
  const next = await readReplayFile(file)
  if (own === round) show(next)
}

const readReplayFile = async (file: File): Promise<ReplayFile> => {
  const { name, size } = file
  if (size > FILE_BYTES_MAX)
    return {
      type: 'wrong',
      name,
      problem: `The file has ${bytesText(size)}, and a page reads at most ${bytesText(FILE_BYTES_MAX)}. Export fewer sessions at a time.`,
    }
  try {
    return { type: 'open', name, file, content: await readExport(new Uint8Array(await file.arrayBuffer())) }
  } catch (error) {
    return { type: 'wrong', name, problem: error instanceof Error ? error.message : String(error) }
  }
}
