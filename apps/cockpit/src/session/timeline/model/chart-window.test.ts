import { expect, test } from 'vitest'
import { ticksIn } from '../../inspector/timeline/axis.ts'
import { movedWindow, placeInWindow, wholeWindow, windowBetween, windowWidth, zoomedWindow } from './chart-window.ts'

test('[C52] a zoom leaves the place under the pointer where it is, and ends at both limits', () => {
  const near = zoomedWindow(wholeWindow, 4, 0.25)
  expect(near).toEqual({ from: 0.1875, to: 0.4375 })
  expect(placeInWindow(near, 0.25)).toBe(0.25)
  expect(zoomedWindow(near, 1 / 4, 0.25)).toBe(wholeWindow)
  let window = wholeWindow
  for (let times = 0; times < 100; times++) window = zoomedWindow(window, 1.5)
  expect(windowWidth(window)).toBeGreaterThan(0)
  for (let times = 0; times < 100; times++) window = zoomedWindow(window, 1 / 1.5)
  expect(window).toBe(wholeWindow)
})

test('[C52] a window stays on the axis, whichever way it is drawn or moved', () => {
  expect(movedWindow({ from: 0.5, to: 0.75 }, 0.5)).toEqual({ from: 0.75, to: 1 })
  expect(movedWindow({ from: 0.5, to: 0.75 }, -2)).toEqual({ from: 0, to: 0.25 })
  expect(windowBetween(0.75, 0.25)).toEqual({ from: 0.25, to: 0.75 })
  expect(windowBetween(-3, 9)).toEqual(wholeWindow)
  expect(windowWidth(windowBetween(1, 1))).toBeGreaterThan(0)
})

test('[C52] ticks stand in the window, with the time since the beginning', () => {
  expect(ticksIn(120_000, { from: 0.5, to: 1 }, 4)).toEqual([
    { at: 0, ms: 60_000 },
    { at: 0.25, ms: 75_000 },
    { at: 0.5, ms: 90_000 },
    { at: 0.75, ms: 105_000 },
    { at: 1, ms: 120_000 },
  ])
  for (const length of [1, 50, 86_400_000 * 30])
    for (const from of [0, 0.3, 0.999]) {
      const ticks = ticksIn(length, { from, to: from + 0.001 }, 7)
      expect(ticks.length).toBeLessThanOrEqual(9)
      expect(ticks.every(({ at }) => Number.isFinite(at))).toBe(true)
    }
})
