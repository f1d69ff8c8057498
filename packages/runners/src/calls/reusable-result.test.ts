import { expect, test } from 'vitest'
import { reuseResult } from './reusable-result.ts'

test('a result is made once, also for callers that wait for it together; a failure is made again', async () => {
  let calls = 0
  const number = reuseResult(async () => {
    calls += 1
    if (calls < 3) throw new Error(`attempt ${calls}`)
    return calls
  })
  expect(await Promise.allSettled([number(), number(), number()])).toEqual(
    [1, 2, 3].map(() => ({ status: 'rejected', reason: new Error('attempt 1') })),
  )
  await expect(number()).rejects.toThrow('attempt 2')
  expect(await Promise.all([number(), number(), number()])).toEqual([3, 3, 3])
  expect([await number(), calls]).toEqual([3, 3])
})
