import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pauseWatch } from '../runs/pause-watch.ts'
import type { CliOutput } from './output.ts'
import { withWorkingLine } from './working-line.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const terminal = (canAsk = true) => {
  let screen = ''
  const write = (text: string) => {
    screen += text
  }
  const out: CliOutput = {
    ...{ isJson: false, canAsk, width: 40, write, row: () => {}, style: (_format, text) => text },
    line: (text) => write(`${text}\n`),
    note: (text) => write(`${text}\n`),
  }
  return { out, screen: () => screen }
}

test('[C124] the words follow what is waited for', () => {
  const { out: given, screen } = terminal()
  const pause = pauseWatch(() => 'bridle resume a')
  const { stop } = withWorkingLine(given, { words: () => (pause.isPaused ? pause.words() : 'waiting') })
  vi.advanceTimersByTime(1_600)
  expect(screen()).toMatch(/… waiting, 2 s\r$/)
  const act = (action: string) => pause.read({ type: 'operator_action', sessionId: 'ada', data: { action } })
  act('pause')
  vi.advanceTimersByTime(1_000)
  expect(screen()).toMatch(/… paused; bridle resume a goes on, 3 s\r$/)
  act('resume')
  vi.advanceTimersByTime(1_000)
  expect(screen()).toMatch(/… waiting, 4 s\r$/)
  stop()
})

test('[C125] silence of two seconds has a line with the time, and the next output replaces it', () => {
  const { out: given, screen } = terminal()
  const { out, stop } = withWorkingLine(given, { words: () => 'greet is at work' })
  out.line('first')
  vi.advanceTimersByTime(1_400)
  expect(screen()).toBe('first\n')
  vi.advanceTimersByTime(1_200)
  expect(screen()).toContain('… greet is at work, 2 s')
  expect(screen()).toContain('… greet is at work, 3 s')
  out.line('second')
  expect(screen()).toMatch(/\r {23}\rsecond\n$/)
  stop()
  vi.advanceTimersByTime(10_000)
  expect(screen()).toMatch(/second\n$/)
})

test('[C125] an open line, and an output for programs, are left alone', () => {
  const open = terminal()
  const working = withWorkingLine(open.out, { words: () => 'x' })
  working.out.write('Approve? ')
  vi.advanceTimersByTime(10_000)
  expect(open.screen()).toBe('Approve? ')
  working.stop()
  const piped = terminal(false)
  expect(withWorkingLine(piped.out, { words: () => 'x' }).out).toBe(piped.out)
})

test('[C125] the line goes when the work ends without an output, and comes with the next work', () => {
  const { out: given, screen } = terminal()
  let isWorking = true
  const { stop } = withWorkingLine(given, { words: () => 'x', isWorking: () => isWorking })
  vi.advanceTimersByTime(2_000)
  expect(screen()).toBe('… x, 2 s\r')
  isWorking = false
  vi.advanceTimersByTime(10_000)
  expect(screen()).toMatch(/\r +\r$/)
  isWorking = true
  vi.advanceTimersByTime(1_000)
  expect(screen()).toMatch(/… x, 13 s\r$/)
  stop()
})
