/**
 * How strong a password is, as the last nodes with passwords judged it, so that the same ones are taken and refused.
 * Pure: the word lists come with a package and are read at first use.
 */
export { isStrongPassword, passwordProblem } from './password-problem.ts'
export { type PasswordStrength, passwordStrength } from './strength.ts'
