import { expect, test } from 'vitest'
import { newestLoad } from './newest-load.ts'

const outcome = (result: PromiseSettledResult<string>): string =>
  result.status === 'fulfilled' ? result.value : String(result.reason)

test('answers are shown as they come, and an older one never replaces a newer one', async () => {
  const shown: string[] = []
  const run = newestLoad<string>()
  const loads = [1, 2, 3, 4].map(() => Promise.withResolvers<string>())
  for (const { promise } of loads) run(promise, (result) => shown.push(outcome(result)))
  const [first, second, third, fourth] = loads
  const settle = async (act: () => void) => {
    act()
    await new Promise((resolve) => setTimeout(resolve))
  }
  await settle(() => first?.resolve('first'))
  await settle(() => third?.reject('third failed'))
  await settle(() => second?.resolve('second'))
  await settle(() => fourth?.resolve('fourth'))
  expect(shown).toEqual(['first', 'third failed', 'fourth'])
})
