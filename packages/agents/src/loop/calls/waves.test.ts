import { expect, test } from 'vitest'
import { planWaves, type WaveMember } from './waves.ts'

const pure: WaveMember = { effect: 'pure', resources: null }
const unsafe: WaveMember = { effect: 'unsafe', resources: null }
const idempotent: WaveMember = { effect: 'idempotent', resources: null }
const reads = (...resources: string[]): WaveMember => ({ effect: 'pure', resources })
const writes = (...resources: string[]): WaveMember => ({ effect: 'unsafe', resources })
const puts = (...resources: string[]): WaveMember => ({ effect: 'idempotent', resources })

test.each<[string, WaveMember[], number[][]]>([
  ['no calls', [], []],
  ['one call', [unsafe], [[0]]],
  ['pure calls', [pure, pure, pure], [[0, 1, 2]]],
  ['eight at a time', Array(17).fill(pure), [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15], [16]]],
  ['calls that may do anything', [unsafe, unsafe, idempotent, idempotent], [[0], [1], [2], [3]]],
  ['a pure call beside one that may do anything', [pure, unsafe, pure, pure], [[0], [1], [2, 3]]],
  ['other things', [writes('a'), writes('b'), puts('c')], [[0, 1, 2]]],
  ['the same thing', [writes('a'), writes('a'), writes('b')], [[0], [1, 2]]],
  ['one thing of several', [writes('a', 'b'), writes('c'), writes('d', 'b')], [[0, 1], [2]]],
  ['a read of a thing that is written', [writes('a'), reads('a'), reads('a')], [[0], [1, 2]]],
  ['a read of something else', [writes('a'), reads('b')], [[0, 1]]],
  ['reads of the same thing', [reads('a'), reads('a'), pure], [[0, 1, 2]]],
  ['a pure call that names nothing, beside a write', [writes('a'), pure], [[0], [1]]],
  ['a call that touches nothing', [writes('a'), writes(), unsafe], [[0, 1], [2]]],
  [
    'the order is kept: no call overtakes',
    [writes('a'), writes('a'), writes('c'), pure, writes('a')],
    [[0], [1, 2], [3], [4]],
  ],
])('[N25] %s', (_name, members, expected) => {
  const calls = members.map((member, index) => ({ ...member, index }))
  expect(planWaves(calls).map((wave) => wave.map(({ index }) => index))).toEqual(expected)
})
