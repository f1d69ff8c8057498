// Why data cannot be written: reported by `/ready`, and logged on each change.
import type { StoreFault, StoreFaultCode } from '@bridle/kernel/ports/store-fault'
import type { Logger } from './logger.ts'

export const watchStoreHealth = (
  store: { writeFault(): StoreFault | null },
  data: string,
  log: Logger,
): (() => string | null) => {
  let last: StoreFaultCode | null = null
  return () => {
    const fault = store.writeFault()
    const code = fault?.code ?? null
    if (fault && code !== last) log('error', lineOf(fault), { data, cause: fault.message })
    if (!fault && last !== null) log('info', 'data is written again', { data })
    last = code
    return fault && sentenceOf(fault)
  }
}

const sentences: Partial<Record<StoreFaultCode, string>> = {
  gone: 'The data folder, or a file in it, was removed or replaced; nothing is written. Put it back, or restart the server.',
  fenced: 'Another process has taken over the data folder; this server shows and writes nothing more. Stop it.',
  unsynced: 'The disk failed to confirm a write; nothing is written until it does. Check the disk.',
  full: 'The disk is full; nothing is written. Make room.',
}

const sentenceOf = ({ code }: StoreFault): string =>
  sentences[code] ?? 'The database cannot be read or written; the log says why.'

const lines: Partial<Record<StoreFaultCode, string>> = {
  gone: 'data folder gone',
  fenced: 'data folder taken over',
  unsynced: 'disk does not confirm writes',
  full: 'disk full',
}

const lineOf = ({ code }: StoreFault): string => lines[code] ?? 'database unusable'
