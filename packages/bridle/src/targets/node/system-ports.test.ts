import { expect, test } from 'vitest'
import { clock } from './system-ports.ts'

test('a moment that has just passed is now, and nobody is warned of it', async () => {
  const warnings: string[] = []
  const listen = ({ name }: Error) => warnings.push(name)
  process.on('warning', listen)
  try {
    await new Promise<void>((resolve) => clock.after(-4, resolve))
    // A warning is emitted in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', listen)
  }
})
