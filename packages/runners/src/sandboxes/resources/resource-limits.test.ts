import { describe, expect, test } from 'vitest'
import { describeExceeded, type ExceededLimit, parseResourceLimits, RESOURCE_LIMITS } from './resource-limits.ts'

describe('[O18] what an operator may write', () => {
  test.each<[string, unknown, object]>([
    ['nothing', undefined, {}],
    ['null', null, {}],
    ['an empty object', {}, {}],
    ['bytes', { memoryBytes: 1_000_000 }, { memoryBytes: 1_000_000 }],
    ['sizes', { memoryBytes: '512 MiB', workBytes: '1.5GiB' }, { memoryBytes: 2 ** 29, workBytes: 1.5 * 2 ** 30 }],
    ['a number as text', { workBytes: '1000' }, { workBytes: 1000 }],
    ['processes', { processes: 12 }, { processes: 12 }],
  ])('%s', (_name, input, changed) => {
    expect(parseResourceLimits(input)).toEqual({ ...RESOURCE_LIMITS, ...changed })
  })

  test('the defaults', () => {
    expect(RESOURCE_LIMITS).toEqual({ memoryBytes: 4 * 2 ** 30, processes: 256, workBytes: 10 * 2 ** 30 })
  })

  test.each<[unknown, string]>([
    ['4 GiB', 'limits must be an object'],
    [[], 'limits must be an object'],
    [{ memory: 1 }, 'limits has no setting "memory". There are memoryBytes, processes, workBytes.'],
    [{ toString: 1 }, 'limits has no setting "toString"'],
    [{ memoryBytes: '4 GB' }, "limits.memoryBytes must be a number of bytes, or text such as '512 MiB'"],
    [{ memoryBytes: '-1' }, 'limits.memoryBytes must be'],
    [{ memoryBytes: 0 }, 'limits.memoryBytes must be a whole number from 1 on.'],
    [{ memoryBytes: '0' }, 'limits.memoryBytes must be a whole number from 1 on.'],
    [{ processes: 1.5 }, 'limits.processes must be a whole number'],
    [{ processes: '256' }, 'limits.processes must be a whole number'],
    [{ workBytes: Number.NaN }, 'limits.workBytes must be'],
    [{ workBytes: Number.POSITIVE_INFINITY }, 'limits.workBytes must be'],
  ])('refuses %j', (input, message) => {
    expect(() => parseResourceLimits(input)).toThrow(message)
  })
})

const gibibytes = (count: number) => count * 2 ** 30
test.each<[ExceededLimit, string]>([
  [
    { resource: 'memory', used: gibibytes(4.3), limit: gibibytes(4) },
    'The sandbox used 4.3 GiB of memory; 4 GiB are allowed.',
  ],
  [
    { resource: 'memory', used: gibibytes(4) + 1, limit: gibibytes(4) },
    'The sandbox used more than 4 GiB of memory; 4 GiB are allowed.',
  ],
  [
    { resource: 'memory', used: null, limit: gibibytes(4) },
    'The sandbox needed more memory than the 4 GiB that are allowed.',
  ],
  [{ resource: 'processes', used: 300, limit: 256 }, 'The sandbox ran 300 processes; 256 are allowed.'],
  [{ resource: 'threads', used: 5000, limit: 4096 }, 'The sandbox ran 5000 threads; 4096 are allowed.'],
  [
    { resource: 'threads', used: null, limit: 4096 },
    'The sandbox started more threads than the 4096 that are allowed.',
  ],
  [
    { resource: 'disk', used: 2 ** 20 * 20, limit: 2 ** 20 * 10 },
    'The sandbox put 20 MiB into its folders; 10 MiB are allowed.',
  ],
  [
    { resource: 'disk', used: null, limit: gibibytes(10) },
    "The sandbox's folders hold too many files to be measured; 10 GiB are allowed.",
  ],
])('[O18] %j is told in a sentence', (exceeded, sentence) => {
  expect(describeExceeded(exceeded)).toBe(sentence)
})
