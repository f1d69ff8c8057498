// Comparing secrets on Node: digests have one length, so the time it takes says nothing about either text.
import { createHash, timingSafeEqual } from 'node:crypto'

export const sameSecret = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
