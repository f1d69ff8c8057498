// The ids of the tour's sessions: the guide, and its button that removes sessions, must not meet a session that somebody named "tour-…".
import { randomText } from '../server/random-text.ts'

export const newTourId = (): string => `tour-${randomText()}`

/** True for the session that a tour begins with. Its branches belong to the tour, whatever their ids are. */
export const isTourId = (id: string): boolean => /^tour-[0-9a-f]{16}$/.test(id)
