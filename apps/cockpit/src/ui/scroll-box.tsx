import type { ReactNode, Ref } from 'react'

/** A box that scrolls when its content is long. It takes the focus, so that the keys scroll it too. */
export const ScrollBox = ({
  label,
  className,
  children,
  ref,
}: {
  readonly label: string
  readonly className: string
  readonly children: ReactNode
  readonly ref?: Ref<HTMLDivElement>
}) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard
  <div ref={ref} className={`scroll ${className}`} role="group" aria-label={label} tabIndex={0}>
    {children}
  </div>
)
