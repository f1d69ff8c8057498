import { isId } from '@bridle/kernel/event'
/** The caller's id for the request, else a new one. */
export const correlationIdOf = (id: string | null | undefined): string => (isId(id) ? id : crypto.randomUUID())
