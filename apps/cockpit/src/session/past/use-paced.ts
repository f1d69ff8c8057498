import { useEffect, useRef, useState } from 'react'
import { Paced } from './paced.ts'

/** The event of a cursor that moves with every frame, at a pace that the page can follow. Null, which is the present, comes and goes at once. */
export const usePaced = (seq: number | null, paceMs: number): number | null => {
  const [shown, setShown] = useState(seq)
  const paced = useRef<Paced<number>>(null)
  paced.current ??= new Paced((next) => setShown(next))
  useEffect(() => {
    if (seq !== null) return paced.current?.push(seq, paceMs)
    paced.current?.end()
    setShown(null)
  }, [seq, paceMs])
  useEffect(() => () => paced.current?.end(), [])
  return seq === null || shown === null ? seq : shown
}
