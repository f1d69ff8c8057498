// Messages above the window of assistant-ui: rows of our own, which come by steps when somebody scrolls up. The browser leaves out
// those that are far from the screen.
import type { HarnessMessage } from 'bridle/client'
import { plural } from 'bridle/words'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { OlderAnswer } from './older-answer.tsx'
import { Question } from './question.tsx'

interface OlderMessagesProps {
  readonly messages: readonly HarnessMessage[]
  /** The messages before these. */
  readonly hidden: number
  readonly onMore: () => void
}

export const OlderMessages = ({ messages, hidden, onMore }: OlderMessagesProps) => (
  <>
    {hidden > 0 && <More key={hidden} hidden={hidden} onMore={onMore} />}
    {messages.map((message) => (
      <div key={message.id} className="older">
        {message.role === 'user' ? <Question message={message} /> : <OlderAnswer message={message} />}
      </div>
    ))}
  </>
)

const More = ({ hidden, onMore }: { readonly hidden: number; readonly onMore: () => void }) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onMore(), {
      rootMargin: '400px 0px',
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [onMore])
  return (
    <div ref={place} className="more">
      <Button look="ghost" icon="chevron-up" onClick={onMore}>
        {plural(hidden, 'earlier message')}
      </Button>
    </div>
  )
}
