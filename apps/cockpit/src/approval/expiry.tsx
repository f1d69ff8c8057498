import { roughTimeText } from 'bridle/words'
import { momentText } from '../ui/clock.ts'
import { useNow } from '../ui/use-now.ts'

/** Less time than this until it expires is shown in red. */
const EXPIRING_MS = 60_000

/** The time that is left for an answer. The server decides when it is over: its clock may not be the browser's. */
export const Expiry = ({ at, isSentence = false }: { readonly at: string; readonly isSentence?: boolean }) => {
  const left = Date.parse(at) - useNow()
  return (
    <span className={`num nowrap${left < EXPIRING_MS ? ' danger medium' : ''}`} title={momentText(at)}>
      {isSentence ? expiryText(left) : leftText(left)}
    </span>
  )
}

/** `expires in 57 m`, `expires now`. */
const expiryText = (ms: number): string => (ms < 1_000 ? leftText(ms) : `expires in ${roughTimeText(ms)}`)

/** `13 m left`, `56 s left`, `expires now`. */
export const leftText = (ms: number): string => (ms < 1_000 ? 'expires now' : `${roughTimeText(ms)} left`)
