import { expect, test } from 'vitest'
import { Turns } from './keyed-mutex.ts'

test('one after the other by name, also behind one that failed; other names do not wait', async () => {
  const turns = new Turns()
  const said: string[] = []
  let release = () => {}
  const first = turns.take('a', async () => {
    await new Promise<void>((resolve) => {
      release = resolve
    })
    said.push('first')
    throw new Error('no')
  })
  const second = turns.take('a', async () => said.push('second'))
  await turns.take('b', async () => said.push('other'))
  expect(said).toEqual(['other'])
  release()
  await expect(first).rejects.toThrow('no')
  await turns.over()
  await second
  expect(said).toEqual(['other', 'first', 'second'])
})
