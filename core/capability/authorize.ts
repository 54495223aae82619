/** FemtoClaw 05 8, plus the one decision a person has to make. */
export type Decision =
  | 'AUTHORIZED'
  | 'REQUIRES_APPROVAL'
  | 'DENIED_CAPABILITY_NOT_FOUND'
  | 'DENIED_CAPABILITY_DISABLED'
  | 'DENIED_POLICY_VIOLATION'
  | 'DENIED_ARGUMENT_INVALID';
