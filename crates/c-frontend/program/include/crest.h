/* For harnesses that were written for CREST. */
#ifndef BRANCHWISE_CREST_H
#define BRANCHWISE_CREST_H

#ifdef __cplusplus
extern "C" {
#endif

void __CrestChar(signed char *to);
void __CrestUChar(unsigned char *to);
void __CrestShort(short *to);
void __CrestUShort(unsigned short *to);
void __CrestInt(int *to);
void __CrestUInt(unsigned *to);
void __CrestLong(long *to);
void __CrestULong(unsigned long *to);
void __CrestFloat(float *to);
void __CrestDouble(double *to);

#ifdef __cplusplus
}
#endif

#define CREST_char(x) __CrestChar((signed char *)&(x))
#define CREST_unsigned_char(x) __CrestUChar(&(x))
#define CREST_short(x) __CrestShort(&(x))
#define CREST_unsigned_short(x) __CrestUShort(&(x))
#define CREST_int(x) __CrestInt(&(x))
#define CREST_unsigned_int(x) __CrestUInt(&(x))
#define CREST_long(x) __CrestLong(&(x))
#define CREST_unsigned_long(x) __CrestULong(&(x))
#define CREST_float(x) __CrestFloat(&(x))
#define CREST_double(x) __CrestDouble(&(x))

#endif
