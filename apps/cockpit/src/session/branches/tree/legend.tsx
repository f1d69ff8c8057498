// The marks of the tree, in words.
export const Legend = () => (
  <>
    <span className="row no-phone">
      <svg width="12" height="12" aria-hidden="true">
        <rect
          x="2.5"
          y="2.5"
          width="7"
          height="7"
          rx="1"
          transform="rotate(45 6 6)"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
        />
      </svg>
      checkpoint
    </span>
    <span className="row no-phone">
      <svg width="12" height="12" aria-hidden="true">
        <circle className="br-approval" cx="6" cy="6" r="4" fill="none" strokeWidth="2" />
      </svg>
      approval
    </span>
    <span className="no-phone">Select two sessions to compare</span>
  </>
)
