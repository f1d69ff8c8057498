import { ageText } from './numbers.ts'
import { useNow } from './use-now.ts'

/** The age of a moment, and the moment itself on hover. */
export const Age = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={new Date(at).toLocaleString()} className="num">
    {ageText(Math.max(0, useNow() - Date.parse(at)))}
  </time>
)
