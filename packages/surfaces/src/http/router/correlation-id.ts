import { isId } from '@bridle/kernel/event'
export const correlationIdOf = (id: string | null | undefined): string => (isId(id) ? id : crypto.randomUUID())
