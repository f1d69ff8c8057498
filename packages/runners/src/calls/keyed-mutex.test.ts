import { expect, test } from 'vitest'
import { KeyedMutex } from './keyed-mutex.ts'

test('one after the other by name, also behind one that failed; other names do not wait', async () => {
  const turns = new KeyedMutex()
  const said: string[] = []
  let release = () => {}
  const first = turns.run('a', async () => {
    await new Promise<void>((resolve) => {
      release = resolve
    })
    said.push('first')
    throw new Error('no')
  })
  const second = turns.run('a', async () => said.push('second'))
  await turns.run('b', async () => said.push('other'))
  expect(said).toEqual(['other'])
  release()
  await expect(first).rejects.toThrow('no')
  await turns.drain()
  await second
  expect(said).toEqual(['other', 'first', 'second'])
})
