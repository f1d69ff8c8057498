import type { Duplex } from 'node:stream'

/** Resolves when the connection accepts more bytes or closes. */
export const waitForDrain = (duplex: Duplex): Promise<void> => {
  if (!duplex.writableNeedDrain || duplex.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      duplex.off('drain', done)
      duplex.off('close', done)
      resolve()
    }
    duplex.on('drain', done)
    duplex.on('close', done)
  })
}
